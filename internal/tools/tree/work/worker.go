// SPDX-License-Identifier: Apache-2.0

package work

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/tools/builtin/files"
	"zfsbench.io/operator/internal/tools/tree"
)

// worker works on its own tree, inode by inode.
type worker struct {
	top    string
	shape  tree.Shape
	fsync  bool
	random *rand.PCG
	buffer []byte

	// inodes is how many of the tree there are, in the order in which they are made.
	inodes int64

	// The following fields belong to the current phase.
	halt      *halt
	todo      int64
	done      atomic.Int64
	bytes     int64
	latencies result.Recorder
}

func newWorker(o Options, i int) *worker {
	w := &worker{top: tree.Top(o.Directory, i), shape: o.Shape, fsync: o.Fsync, random: rand.NewPCG(o.Seed, uint64(i))}
	w.buffer = make([]byte, min(tree.BufferBytes, max(1, o.Shape.FileBytes)))
	if o.Phases[0] != v1alpha1.TreeCreate {
		w.inodes = o.Shape.Inodes()
	}
	return w
}

func (w *worker) begin(h *halt) {
	w.halt, w.bytes, w.latencies = h, 0, result.Recorder{}
	w.todo = w.inodes
	if w.inodes == 0 {
		w.todo = w.shape.Inodes()
	}
	w.done.Store(0)
}

// visitor is what to do with the inodes of a tree. Each is nil for nothing.
type visitor struct {
	directory, file func(path string) error
	// leave is called for a directory after all that is in it.
	leave func(path string) error
}

// errHalted ends a walk.
var errHalted = errors.New("halted")

// walk visits the first inodes of the tree, in the order in which they are made: a directory, its files, its
// directories with everything in them. It returns no error if it is halted.
func (w *worker) walk(inodes int64, v visitor) error {
	left := inodes
	err := w.descend(w.top, 0, &left, v)
	if errors.Is(err, errHalted) {
		return nil
	}
	return err
}

func (w *worker) descend(path string, level int, left *int64, v visitor) error {
	if *left == 0 {
		return nil
	}
	*left--
	if err := w.attend(path, v.directory); err != nil {
		return err
	}
	for i := 0; i < w.shape.Files && *left > 0; i++ {
		*left--
		if err := w.attend(path+"/f"+strconv.Itoa(i), v.file); err != nil {
			return err
		}
	}
	if level < w.shape.Levels {
		for i := 0; i < w.shape.Directories && *left > 0; i++ {
			if err := w.descend(path+"/d"+strconv.Itoa(i), level+1, left, v); err != nil {
				return err
			}
		}
	}
	return w.attend(path, v.leave)
}

// attend runs do on an inode, unless do is nil or the phase is over.
func (w *worker) attend(path string, do func(string) error) error {
	switch {
	case w.halt.isSet():
		return errHalted
	case do == nil:
		return nil
	}
	return w.measured(path, do)
}

// measured runs do and counts it. If there is no space, or do is halted half done, it counts nothing and ends the
// phase.
func (w *worker) measured(path string, do func(string) error) error {
	began := time.Now()
	err := do(path)
	if files.IsFull(err) {
		w.halt.set(result.EndedByNoSpace)
		return errHalted
	}
	if err != nil {
		return err
	}
	w.latencies.Record(time.Since(began).Nanoseconds())
	w.done.Add(1)
	return nil
}

// steps are the phases.
var steps = map[v1alpha1.TreePhase]func(*worker) error{
	v1alpha1.TreeCreate: func(w *worker) error {
		if err := w.walk(w.shape.Inodes(), visitor{directory: w.makeDirectory, file: w.makeFile}); err != nil {
			return err
		}
		w.inodes = w.done.Load()
		return nil
	},
	v1alpha1.TreeStat:    func(w *worker) error { return w.walk(w.inodes, visitor{directory: w.stat, file: w.stat}) },
	v1alpha1.TreeRewrite: func(w *worker) error { return w.walk(w.inodes, visitor{file: w.rewrite}) },
	v1alpha1.TreeRead:    func(w *worker) error { return w.walk(w.inodes, visitor{file: w.read}) },
	v1alpha1.TreeDelete: func(w *worker) error {
		return w.walk(w.inodes, visitor{file: w.remove, leave: w.removeDirectory})
	},
}

func (*worker) makeDirectory(path string) error {
	return files.Named("mkdir", path, unix.Mkdir(path, 0o700))
}

func (*worker) stat(path string) error {
	var stat unix.Stat_t
	return files.Named("stat", path, unix.Lstat(path, &stat))
}

func (*worker) remove(path string) error { return files.Named("remove", path, unix.Unlink(path)) }

func (*worker) removeDirectory(path string) error {
	return files.Named("remove", path, unix.Rmdir(path))
}

// makeFile creates a file, and removes it again if there is no space or no time to complete it.
func (w *worker) makeFile(path string) error {
	err := w.write(path, unix.O_CREAT|unix.O_EXCL)
	if files.IsFull(err) || errors.Is(err, errHalted) {
		_ = unix.Unlink(path)
	}
	return err
}

func (w *worker) rewrite(path string) error { return w.write(path, 0) }

// write fills a file with random data.
func (w *worker) write(path string, flags int) error {
	fd, err := files.Open(path, unix.O_WRONLY|flags)
	if err != nil {
		return err
	}
	for left := w.shape.FileBytes; left > 0 && err == nil; {
		chunk := w.buffer[:min(int64(len(w.buffer)), left)]
		files.Fill(w.random, chunk)
		var n int
		n, err = unix.Write(fd, chunk)
		if err == nil && n == 0 {
			err = unix.EIO
		}
		if left -= int64(max(0, n)); err == nil && left > 0 && w.halt.isSet() {
			err = errHalted
		}
	}
	if err == nil && w.fsync {
		err = unix.Fsync(fd)
	}
	errClose := unix.Close(fd)
	if err == nil {
		err = errClose
	}
	if err == nil {
		w.bytes += w.shape.FileBytes
	}
	return files.Named("write", path, err)
}

// read reads a file to its end, and checks its size.
func (w *worker) read(path string) error {
	fd, err := files.Open(path, unix.O_RDONLY)
	if err != nil {
		return err
	}
	var total int64
	for n := 1; n > 0 && err == nil; {
		n, err = unix.Read(fd, w.buffer)
		if total += int64(max(0, n)); err == nil && total < w.shape.FileBytes && n > 0 && w.halt.isSet() {
			err = errHalted
		}
	}
	_ = unix.Close(fd)
	if err == nil && total != w.shape.FileBytes {
		err = fmt.Errorf("it has %d bytes, not %d", total, w.shape.FileBytes)
	}
	if err == nil {
		w.bytes += total
	}
	return files.Named("read", path, err)
}
