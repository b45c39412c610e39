// SPDX-License-Identifier: Apache-2.0

package sink

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"zfsbench.io/operator/internal/node/durable"
)

// SeriesDirectory keeps time series in the files of a directory.
type SeriesDirectory struct {
	// Path is the directory of one benchmark. It is made when there is something to put into it.
	Path string
	// Shared is the directory with Path and the directories of other benchmarks, LimitBytes what all of them may take
	// together: the oldest files go first. Without a limit, 0, nothing goes.
	Shared     string
	LimitBytes int64
}

// Put writes a series. What it cannot make room for is not written.
func (d SeriesDirectory) Put(name string, data []byte) error {
	if err := os.MkdirAll(d.Path, 0o755); err != nil {
		return fmt.Errorf("keep series: %w", err)
	}
	if d.LimitBytes > 0 {
		if err := d.makeRoom(int64(len(data))); err != nil {
			return fmt.Errorf("keep series: %w", err)
		}
	}
	if err := durable.WriteFile(filepath.Join(d.Path, name), data); err != nil {
		return fmt.Errorf("keep series: %w", err)
	}
	return nil
}

// kept is a series that is there.
type kept struct {
	path string
	size int64
	at   time.Time
}

// makeRoom removes the oldest series until there is room for so many bytes more.
func (d SeriesDirectory) makeRoom(size int64) error {
	if size > d.LimitBytes {
		return fmt.Errorf("a series of %d bytes: all together may have %d", size, d.LimitBytes)
	}
	all, err := d.all()
	if err != nil {
		return err
	}
	total := size
	for _, k := range all {
		total += k.size
	}
	for _, k := range all {
		if total <= d.LimitBytes {
			break
		}
		if err := os.Remove(k.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		total -= k.size
		if dir := filepath.Dir(k.path); dir != d.Path {
			_ = os.Remove(dir) // only if that was the last one in it
		}
	}
	return nil
}

// all are the series of all benchmarks, the oldest first.
func (d SeriesDirectory) all() ([]kept, error) {
	var all []kept
	err := filepath.WalkDir(d.Shared, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		all = append(all, kept{path, info.Size(), info.ModTime()})
		return nil
	})
	slices.SortFunc(all, func(a, b kept) int { return a.at.Compare(b.at) })
	return all, err
}
