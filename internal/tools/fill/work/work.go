// SPDX-License-Identifier: Apache-2.0

package work

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/tools/builtin/files"
)

const (
	// maxFileBytes is the size of a file: large enough for few files, small enough for one to be a small part of a pool.
	maxFileBytes = 1 << 30
	// blockBytes is what is written at once to a new file.
	blockBytes = 1 << 20
	// maxRecordBytes is the largest record of OpenZFS.
	maxRecordBytes = 16 << 20
)

// Options are what to do.
type Options struct {
	// Directory is where the files are. It is made, too, if it is not there.
	Directory string
	// Bytes is how much is written.
	Bytes int64
	// Overwrite writes over records of the files, in random places; else new files are written.
	Overwrite bool
	// Seed and Round determine the data.
	Seed, Round uint64
	// Status gets a line with the name of the phase and the percentage that is done; nil for none.
	Status io.Writer
	// fileBytes is mostFileBytes but for tests.
	fileBytes int64
}

// writer is a run.
type writer struct {
	Options
	random *rand.PCG
	done   atomic.Int64
	blocks int64
}

// Run writes the given amount, or as much as there is space for.
func Run(o Options) ([]result.Phase, error) {
	if o.Bytes < 1 {
		return nil, fmt.Errorf("%d bytes to write", o.Bytes)
	}
	if o.fileBytes == 0 {
		o.fileBytes = maxFileBytes
	}
	if err := os.MkdirAll(o.Directory, 0o700); err != nil {
		return nil, err
	}
	w := &writer{Options: o, random: rand.NewPCG(o.Seed, o.Round)}
	name, write := v1alpha1.OperationFill, w.fill
	if o.Overwrite {
		name, write = v1alpha1.OperationOverwrite, w.overwrite
	}
	stop := files.ReportStatus(o.Status, string(name), func() (done, total int64) { return w.done.Load(), o.Bytes })
	began := time.Now()
	err := write()
	took := max(1, time.Since(began).Nanoseconds())
	stop()
	p := result.Phase{Name: string(name)}
	if files.IsFull(err) {
		p.Ended, err = result.EndedByNoSpace, nil
	}
	p.Bytes, p.IOs, p.RuntimeNanoseconds = w.done.Load(), w.blocks, took
	p.BandwidthBytesPerSecond, p.IOPS = float64(p.Bytes)/float64(took)*1e9, float64(p.IOs)/float64(took)*1e9
	return []result.Phase{p}, err
}

// fill writes new files, one after the other.
func (w *writer) fill() error {
	there, err := os.ReadDir(w.Directory)
	if err != nil {
		return err
	}
	for next := len(there); w.done.Load() < w.Bytes; next++ {
		if err := w.file(filepath.Join(w.Directory, fmt.Sprintf("f%08d", next)),
			min(w.fileBytes, w.Bytes-w.done.Load())); err != nil {
			return err
		}
	}
	return nil
}

// file writes a file, which must not be there.
func (w *writer) file(path string, bytes int64) error {
	fd, err := files.Open(path, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL)
	if err != nil {
		return err
	}
	buffer := make([]byte, min(blockBytes, bytes))
	for left := bytes; left > 0 && err == nil; left -= blockBytes {
		block := buffer[:min(int64(len(buffer)), left)]
		files.Fill(w.random, block)
		if err = files.Write(fd, block); err == nil {
			w.count(block)
		}
	}
	return files.Named("write", path, errors.Join(err, unix.Close(fd)))
}

func (w *writer) count(block []byte) {
	w.done.Add(int64(len(block)))
	w.blocks++
}

// extent is a file that is overwritten.
type extent struct {
	path string
	// record is the size of its records, records how many whole ones it has.
	record, records int64
}

// overwrite writes whole records in random places: each takes new space and gives back the old.
func (w *writer) overwrite() error {
	extents, err := w.extents()
	if err != nil {
		return err
	}
	buffer := make([]byte, maxRecordBytes)
	places := rand.New(rand.NewPCG(w.Seed+1, w.Round))
	var all int64
	for _, e := range extents {
		all += e.records
	}
	for w.done.Load() < w.Bytes {
		place := places.Int64N(all)
		i := 0
		for ; place >= extents[i].records; i++ {
			place -= extents[i].records
		}
		block := buffer[:extents[i].record]
		files.Fill(w.random, block)
		if err := rewrite(extents[i].path, block, place*extents[i].record); err != nil {
			return err
		}
		w.count(block)
	}
	return nil
}

// extents are the files that are there, as far as they have whole records.
func (w *writer) extents() ([]extent, error) {
	there, err := os.ReadDir(w.Directory)
	if err != nil {
		return nil, err
	}
	var all []extent
	for _, entry := range there {
		path := filepath.Join(w.Directory, entry.Name())
		var stat unix.Stat_t
		if err := unix.Lstat(path, &stat); err != nil {
			return nil, files.Named("look at", path, err)
		}
		// OpenZFS calls the size of a file's records its block size.
		record := min(max(int64(stat.Blksize), 1), maxRecordBytes) //nolint:unconvert // int32 on arm64
		if records := stat.Size / record; records > 0 && stat.Mode&unix.S_IFMT == unix.S_IFREG {
			all = append(all, extent{path, record, records})
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s has no files to overwrite", w.Directory)
	}
	return all, nil
}

// rewrite writes over a part of a file.
func rewrite(path string, block []byte, at int64) error {
	fd, err := files.Open(path, unix.O_WRONLY)
	if err != nil {
		return err
	}
	if _, err = unix.Seek(fd, at, unix.SEEK_SET); err == nil {
		err = files.Write(fd, block)
	}
	return files.Named("overwrite", path, errors.Join(err, unix.Close(fd)))
}
