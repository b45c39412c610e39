// SPDX-License-Identifier: Apache-2.0

package sink

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// files are those below a directory.
func filesBelow(t *testing.T, dir string) []string {
	t.Helper()
	var found []string
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			found = append(found, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestSeriesDirectory(t *testing.T) {
	shared := filepath.Join(t.TempDir(), "series")
	first := SeriesDirectory{Path: filepath.Join(shared, "first"), Shared: shared, LimitBytes: 100}
	second := first
	second.Path = filepath.Join(shared, "second")
	put := func(d SeriesDirectory, name string, size int, age time.Duration) {
		t.Helper()
		if err := d.Put(name, make([]byte, size)); err != nil {
			t.Fatal(err)
		}
		at := time.Now().Add(-age)
		if err := os.Chtimes(filepath.Join(d.Path, name), at, at); err != nil {
			t.Fatal(err)
		}
	}
	put(first, "a", 40, 3*time.Hour)
	put(first, "b", 20, 2*time.Hour)
	put(second, "c", 40, time.Hour)
	if diff := cmp.Diff([]string{"first/a", "first/b", "second/c"}, filesBelow(t, shared)); diff != "" {
		t.Errorf("all fit (-want +got):\n%s", diff)
	}
	put(second, "d", 50, 0)
	if diff := cmp.Diff([]string{"second/c", "second/d"}, filesBelow(t, shared)); diff != "" {
		t.Errorf("the oldest go (-want +got):\n%s", diff)
	}
	if _, err := os.Stat(first.Path); err == nil {
		t.Error("a directory without series is still there")
	}
	if err := second.Put("e", make([]byte, 101)); err == nil {
		t.Error("a series larger than all may be was kept")
	}
	if got := filesBelow(t, shared); len(got) != 2 {
		t.Errorf("it cost others their place: %v", got)
	}
}

func TestSeriesDirectoryWithoutLimit(t *testing.T) {
	d := SeriesDirectory{Path: filepath.Join(t.TempDir(), "out", "series")}
	for _, text := range []string{"one", "two"} {
		if err := d.Put("a", []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(filepath.Join(d.Path, "a")); err != nil || string(got) != "two" {
		t.Errorf("%q, %v", got, err)
	}
}
