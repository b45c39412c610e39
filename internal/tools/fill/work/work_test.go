// SPDX-License-Identifier: Apache-2.0

package work

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/internal/result"
)

// content is what the files hold, by name.
func content(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]byte{}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all[e.Name()] = data
	}
	return all
}

func run(t *testing.T, o Options) result.Phase {
	t.Helper()
	phases, err := Run(o)
	if err != nil || len(phases) != 1 {
		t.Fatalf("%+v, %v", phases, err)
	}
	if err := phases[0].Check(); err != nil || phases[0].BandwidthBytesPerSecond <= 0 {
		t.Errorf("%+v: %v", phases[0], err)
	}
	return phases[0]
}

// Each round adds files, of data that nothing else has.
func TestFill(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "fill")
	o := Options{Directory: dir, Bytes: 5 << 10, Seed: 1, fileBytes: 4 << 10}
	first := run(t, o)
	o.Round = 1
	run(t, o)
	sizes := map[string]int{}
	seen := map[string]bool{}
	for name, data := range content(t, dir) {
		sizes[name] = len(data)
		for block := range slices.Chunk(data, 512) {
			if seen[string(block)] {
				t.Errorf("%s has a block twice", name)
			}
			seen[string(block)] = true
		}
	}
	want := map[string]int{"f00000000": 4 << 10, "f00000001": 1 << 10, "f00000002": 4 << 10, "f00000003": 1 << 10}
	if diff := cmp.Diff(want, sizes); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if first.Name != "fill" || first.Bytes != 5<<10 || first.IOs != 2 || first.Reads {
		t.Errorf("phase %+v", first)
	}
}

// Whole records change, and no file grows.
func TestOverwrite(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "fill")
	run(t, Options{Directory: dir, Bytes: 100 << 10, Seed: 1, fileBytes: 64 << 10})
	before := content(t, dir)
	p := run(t, Options{Directory: dir, Bytes: 16 << 10, Seed: 1, Round: 1, Overwrite: true})
	changed := 0
	for name, data := range content(t, dir) {
		if len(data) != len(before[name]) {
			t.Errorf("%s has %d bytes, it had %d", name, len(data), len(before[name]))
		}
		for at := 0; at+4096 <= len(data); at += 4096 {
			if !bytes.Equal(data[at:at+4096], before[name][at:at+4096]) {
				changed++
			}
		}
	}
	if changed == 0 || p.Name != "overwrite" || p.Bytes < 16<<10 || p.IOs == 0 {
		t.Errorf("%d records have changed; %+v", changed, p)
	}
}

func TestFails(t *testing.T) {
	tests := map[string]struct {
		options Options
		want    string
	}{
		"nothing to write":     {Options{}, "0 bytes to write"},
		"nothing to overwrite": {Options{Bytes: 1, Overwrite: true}, "no files to overwrite"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			tt.options.Directory = filepath.Join(t.TempDir(), "fill")
			if _, err := Run(tt.options); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}
