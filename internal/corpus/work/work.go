// SPDX-License-Identifier: Apache-2.0

// Package work makes a corpus of files and measures that. It is the program behind the runner's hidden subcommand corpus, and runs in the sandbox.
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
	"zfsbench.io/operator/internal/baseline"
	"zfsbench.io/operator/internal/builtin/files"
	"zfsbench.io/operator/internal/corpus"
	"zfsbench.io/operator/internal/result"
)

// Options are what to make.
type Options struct {
	// Directory is where the files are made, in directories for each part and each thousand files. It must not be there.
	Directory string
	Parts     []corpus.Part
	FileBytes int64
	// Seed is that of all data. The same options make the same corpus, byte for byte.
	Seed uint64
	// Status gets a line with the percentage that is done; nil for none.
	Status io.Writer
}

// perDirectory is how many files a directory has.
const perDirectory = 1000

// file is one of a corpus.
type file struct {
	path string
	// content is what the data is made of, and which data of this kind it is: files with the same content are the same, as far as the shorter one goes.
	content v1alpha1.CorpusContent
	stream  uint64
	bytes   int64
}

// all are the files of the corpus, in the order in which they are written.
func (o Options) all() iter.Seq[file] {
	return func(yield func(file) bool) {
		for i, p := range o.Parts {
			distinct := p.Distinct(o.FileBytes)
			for n := range p.Files(o.FileBytes) {
				f := file{
					path:    filepath.Join(o.Directory, fmt.Sprintf("part%d", i), fmt.Sprint(n/perDirectory), fmt.Sprint(n%perDirectory)),
					content: p.Content, stream: uint64(i)<<48 | uint64(n%distinct), bytes: min(o.FileBytes, p.Bytes-n*o.FileBytes),
				}
				if !yield(f) {
					return
				}
			}
		}
	}
}

// total is the size of all files.
func (o Options) total() int64 {
	var all int64
	for _, p := range o.Parts {
		all += p.Bytes
	}
	return all
}

// Run makes the corpus. Without space for all of it there is none, because its ratios would be those of another one.
func Run(o Options) ([]result.Phase, error) {
	if o.FileBytes < 1 || len(o.Parts) == 0 {
		return nil, fmt.Errorf("%d parts in files of %d bytes", len(o.Parts), o.FileBytes)
	}
	for _, p := range o.Parts {
		if fills[p.Content] == nil {
			return nil, fmt.Errorf("no such content: %q", p.Content)
		}
	}
	if err := os.Mkdir(o.Directory, 0o700); err != nil {
		return nil, err
	}
	w := &writer{made: make(chan []byte, corpus.BufferBytes/corpus.BlockBytes), free: make(chan []byte, corpus.BufferBytes/corpus.BlockBytes), stop: make(chan struct{})}
	for range cap(w.free) {
		w.free <- make([]byte, min(corpus.BlockBytes, o.FileBytes))
	}
	total := o.total()
	stopStatus := files.Tell(o.Status, string(v1alpha1.OperationWrite), func() (int64, int64) { return w.written.Load(), total })
	began := time.Now()
	err := w.run(o)
	runtime := time.Since(began)
	stopStatus()
	if err != nil {
		return nil, err
	}
	synced := time.Now()
	if err := (baseline.Node{}).SyncMount(o.Directory); err != nil {
		return nil, err
	}
	return []result.Phase{w.phase(runtime, time.Since(synced))}, nil
}

// writer writes what is made ahead of it.
type writer struct {
	// made are blocks in the order of the files, free those that can be filled anew.
	made, free chan []byte
	stop       chan struct{}

	written   atomic.Int64
	files     int64
	latencies result.Recorder
}

// run makes the data and writes it, at the same time.
func (w *writer) run(o Options) error {
	var making sync.WaitGroup
	making.Go(func() { w.make(o) })
	defer making.Wait()
	defer close(w.stop)
	for f := range o.all() {
		if f.path[len(f.path)-2:] == "/0" { // the first of its directory
			if err := os.MkdirAll(filepath.Dir(f.path), 0o700); err != nil {
				return err
			}
		}
		if err := w.write(f); err != nil {
			return err
		}
	}
	return nil
}

// make fills blocks until there are no more files, or it is stopped.
func (w *writer) make(o Options) {
	for f := range o.all() {
		random := rand.NewPCG(o.Seed, f.stream)
		for left := f.bytes; left > 0; {
			var block []byte
			select {
			case block = <-w.free:
			case <-w.stop:
				return
			}
			block = block[:min(int64(cap(block)), left)]
			fills[f.content](random, block)
			left -= int64(len(block))
			select {
			case w.made <- block:
			case <-w.stop:
				return
			}
		}
	}
}

// write makes a file. Its latency is without waiting for its data.
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
		block := <-w.made
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

// phase is what was done.
func (w *writer) phase(runtime, synced time.Duration) result.Phase {
	p := result.Phase{Name: string(v1alpha1.OperationWrite), SyncNanoseconds: synced.Nanoseconds()}
	p.Bytes, p.IOs, p.RuntimeNanoseconds = w.written.Load(), w.files, max(1, runtime.Nanoseconds())
	seconds := float64(p.RuntimeNanoseconds) / 1e9
	p.IOPS, p.BandwidthBytesPerSecond = float64(p.IOs)/seconds, float64(p.Bytes)/seconds
	p.Latency = w.latencies.Latency()
	return p
}
