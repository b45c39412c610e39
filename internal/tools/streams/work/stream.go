// SPDX-License-Identifier: Apache-2.0

package work

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/tools/builtin/files"
)

// stream is one file, from its beginning to its end.
type stream struct {
	path string
	// bytes is the size of the file.
	bytes  int64
	buffer []byte
	random *rand.PCG

	done      atomic.Int64
	blocks    int64
	latencies result.Recorder
}

// write makes the file, which must not be there, and writes it out.
func (s *stream) write() error {
	fd, err := files.Open(s.path, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL)
	if err != nil {
		return err
	}
	err = s.blockwise(func(block []byte) error {
		files.Fill(s.random, block)
		return s.measured(len(block), func() error { return files.Write(fd, block) })
	})
	if err == nil {
		err = unix.Fsync(fd)
	}
	return files.Named("write", s.path, errors.Join(err, unix.Close(fd)))
}

// read reads the file to its end, which must be where it was written.
func (s *stream) read() error {
	fd, err := files.Open(s.path, unix.O_RDONLY)
	if err != nil {
		return err
	}
	err = s.blockwise(func(block []byte) error {
		return s.measured(len(block), func() error { return readFull(fd, block) })
	})
	return files.Named("read", s.path, errors.Join(err, unix.Close(fd)))
}

// blockwise does something for each block; the last may be shorter.
func (s *stream) blockwise(do func(block []byte) error) error {
	for left := s.bytes; left > 0; {
		block := s.buffer[:min(int64(len(s.buffer)), left)]
		if err := do(block); err != nil {
			return err
		}
		left -= int64(len(block))
	}
	return nil
}

// measured counts a block that was moved.
func (s *stream) measured(bytes int, move func() error) error {
	began := time.Now()
	if err := move(); err != nil {
		return err
	}
	s.latencies.Record(time.Since(began).Nanoseconds())
	s.blocks++
	s.done.Add(int64(bytes))
	return nil
}

// readFull reads a whole block.
func readFull(fd int, block []byte) error {
	for read := 0; read < len(block); {
		n, err := unix.Read(fd, block[read:])
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return err
		case n == 0:
			return fmt.Errorf("it ends %d bytes too early", len(block)-read)
		}
		read += n
	}
	return nil
}
