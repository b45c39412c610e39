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

// SeriesDirectory stores time series as files in a directory.
type SeriesDirectory struct {
	// Path is the directory of one benchmark. It is created with the first series.
	Path string
	// Shared is the directory that contains Path and the directories of other benchmarks. LimitBytes is the limit for
	// all of them together: the oldest files are removed first. 0 means no limit.
	Shared     string
	LimitBytes int64
}

// Put writes a series. A series for which it cannot make room is not written.
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

// kept is a stored series.
type kept struct {
	path string
	size int64
	at   time.Time
}

// makeRoom removes the oldest series until there is room for size more bytes.
func (d SeriesDirectory) makeRoom(size int64) error {
	if size > d.LimitBytes {
		return fmt.Errorf("a series has %d bytes, but the limit for all series together is %d", size, d.LimitBytes)
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
			_ = os.Remove(dir) // succeeds only if it is empty
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
