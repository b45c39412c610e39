// SPDX-License-Identifier: Apache-2.0

package work

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/storage/hostfs"
	"zfsbench.io/operator/internal/tools/builtin/files"
	"zfsbench.io/operator/internal/tools/corpus"
)

// Options say which corpus to make, and where.
type Options struct {
	// Directory is where the files are made, in directories for each part and each thousand files. It must not exist.
	Directory string
	Parts     []corpus.Part
	FileBytes int64
	// Seed is the seed of all data. The same options make the same corpus, byte for byte.
	Seed uint64
	// Copy is copied instead of making parts; nil for nothing.
	Copy *Copy
	// Status receives lines with the percentage that is done; nil for none.
	Status io.Writer
}

// perDirectory is how many files a directory has.
const perDirectory = 1000

// file is a file of a corpus.
type file struct {
	path string
	// content and stream determine the data: of two files with the same content and stream, the shorter one is the
	// beginning of the other.
	content v1alpha1.CorpusContent
	stream  uint64
	bytes   int64
	// from is the path from which it is copied.
	from string
}

// made are the files of the parts, in the order in which they are written.
func (o Options) made() iter.Seq[file] {
	return func(yield func(file) bool) {
		for i, p := range o.Parts {
			distinct := p.Distinct(o.FileBytes)
			for n := range p.Files(o.FileBytes) {
				f := file{
					path: filepath.Join(o.Directory, fmt.Sprintf("part%d", i), fmt.Sprint(n/perDirectory),
						fmt.Sprint(n%perDirectory)),
					content: p.Content, stream: uint64(i)<<48 | uint64(n%distinct), bytes: min(o.FileBytes, p.Bytes-n*o.FileBytes),
				}
				if !yield(f) {
					return
				}
			}
		}
	}
}

// source provides files and their data.
type source interface {
	// all are the files in the order in which they are written, total their size.
	all() iter.Seq[file]
	total() int64
	// fill makes the data of a file, block by block: room returns an empty block of at most so many bytes, and filled
	// takes it with data. If one of them returns false, no more data is wanted.
	fill(f file, room func(atMost int64) ([]byte, bool), filled func([]byte) bool) error
	// stored is called when all files are written.
	stored(directory string) (*result.Data, error)
}

// Run makes or copies the corpus; only a copy returns Data. If there is not enough space, it fails: a part of a corpus
// compresses differently.
func Run(o Options) ([]result.Phase, *result.Data, error) {
	from, err := o.source()
	if err != nil {
		return nil, nil, err
	}
	if err := os.Mkdir(o.Directory, 0o700); err != nil {
		return nil, nil, err
	}
	w := &writer{made: make(chan []byte, corpus.BufferBytes/corpus.BlockBytes),
		free: make(chan []byte, corpus.BufferBytes/corpus.BlockBytes), stop: make(chan struct{})}
	for range cap(w.free) {
		w.free <- make([]byte, corpus.BlockBytes)
	}
	total := from.total()
	stopStatus := files.ReportStatus(o.Status, string(v1alpha1.OperationWrite), func() (int64, int64) {
		return w.written.Load(), total
	})
	began := time.Now()
	err = w.run(from)
	var data *result.Data
	if err == nil {
		data, err = from.stored(o.Directory)
	}
	runtime := time.Since(began)
	stopStatus()
	if err != nil {
		return nil, nil, err
	}
	synced := time.Now()
	if err := (hostfs.Host{}).SyncMount(o.Directory); err != nil {
		return nil, nil, err
	}
	return []result.Phase{w.phase(runtime, time.Since(synced))}, data, nil
}

// source is the source that the options request.
func (o Options) source() (source, error) {
	if o.Copy != nil {
		return o.Copy.list(o.Directory)
	}
	if o.FileBytes < 1 || len(o.Parts) == 0 {
		return nil, fmt.Errorf("%d parts in files of %d bytes", len(o.Parts), o.FileBytes)
	}
	for _, p := range o.Parts {
		if fills[p.Content] == nil {
			return nil, fmt.Errorf("no such content: %q", p.Content)
		}
	}
	return parts{o}, nil
}

// parts is the source that makes the data of the parts.
type parts struct{ Options }

func (p parts) all() iter.Seq[file] { return p.made() }

func (p parts) total() int64 {
	var all int64
	for _, part := range p.Parts {
		all += part.Bytes
	}
	return all
}

func (p parts) fill(f file, room func(int64) ([]byte, bool), filled func([]byte) bool) error {
	random := rand.NewPCG(p.Seed, f.stream)
	for left := f.bytes; left > 0; {
		block, wanted := room(left)
		if !wanted {
			return nil
		}
		fills[f.content](random, block)
		left -= int64(len(block))
		if !filled(block) {
			return nil
		}
	}
	return nil
}

func (parts) stored(string) (*result.Data, error) { return nil, nil }

// writer writes blocks while make makes the next ones.
type writer struct {
	// made are blocks in the order of the files, free the blocks that can be filled again.
	made, free chan []byte
	stop       chan struct{}
	// failure is the error that ended make. It must be read only after made is closed.
	failure error

	written   atomic.Int64
	files     int64
	latencies result.Recorder
}

// run makes the data and writes it, at the same time.
func (w *writer) run(from source) (err error) {
	var making sync.WaitGroup
	making.Go(func() { w.make(from) })
	defer func() {
		close(w.stop)
		making.Wait()
		if err == nil {
			err = w.failure // write does not see the failure of a file without data
		}
	}()
	directory := ""
	for f := range from.all() {
		if dir := filepath.Dir(f.path); dir != directory {
			if err := os.MkdirAll(dir, 0o700); err != nil {
				return err
			}
			directory = dir
		}
		if err := w.write(f); err != nil {
			return err
		}
	}
	return nil
}

// make fills blocks until there are no more files, or it is stopped.
func (w *writer) make(from source) {
	room := func(atMost int64) ([]byte, bool) {
		select {
		case block := <-w.free:
			return block[:min(int64(cap(block)), atMost)], true
		case <-w.stop:
			return nil, false
		}
	}
	filled := func(block []byte) bool {
		select {
		case w.made <- block:
			return true
		case <-w.stop:
			return false
		}
	}
	defer close(w.made)
	for f := range from.all() {
		if w.failure = from.fill(f, room, filled); w.failure != nil {
			return
		}
	}
}

// write creates a file and writes its data. Its latency does not include waiting for the data to be made.
func (w *writer) write(f file) error {
	var busy time.Duration
	timed := func(do func() error) error {
		began := time.Now()
		err := do()
		busy += time.Since(began)
		return err
	}
	fd := -1
	err := timed(func() (err error) {
		fd, err = files.Open(f.path, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL)
		return err
	})
	if err != nil {
		return err
	}
	for left := f.bytes; left > 0 && err == nil; {
		block, more := <-w.made
		if !more {
			err = errors.Join(w.failure, errors.New("there is no more data"))
			break
		}
		err = timed(func() error { return files.Write(fd, block) })
		left -= int64(len(block))
		w.written.Add(int64(len(block)))
		w.free <- block
	}
	err = errors.Join(err, timed(func() error { return unix.Close(fd) }))
	w.files++
	w.latencies.Record(busy.Nanoseconds())
	return files.Named("write", f.path, err)
}

// phase is the measured phase.
func (w *writer) phase(runtime, synced time.Duration) result.Phase {
	p := result.Phase{Name: string(v1alpha1.OperationWrite), SyncNanoseconds: synced.Nanoseconds()}
	p.Bytes, p.IOs, p.RuntimeNanoseconds = w.written.Load(), w.files, max(1, runtime.Nanoseconds())
	seconds := float64(p.RuntimeNanoseconds) / 1e9
	p.IOPS, p.BandwidthBytesPerSecond = float64(p.IOs)/seconds, float64(p.Bytes)/seconds
	p.Latency = w.latencies.Latency()
	return p
}
