// SPDX-License-Identifier: Apache-2.0

package work

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/tools/corpus"
)

func small(t *testing.T) Options {
	t.Helper()
	return Options{
		Directory: filepath.Join(t.TempDir(), "w"), FileBytes: 3 << 20, Seed: 1,
		Parts: []corpus.Part{{Content: "Text", Bytes: 7 << 20, Copies: 1}, {Content: "Random", Bytes: 12 << 20, Copies: 2}},
	}
}

// sums are the sums of the files below a directory, by path.
func sums(t *testing.T, directory string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(directory, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		sum := sha256.Sum256(data)
		all[strings.TrimPrefix(path, directory)] = fmt.Sprintf("%d %s", len(data), hex.EncodeToString(sum[:8]))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func made(t *testing.T, o Options) map[string]string {
	t.Helper()
	measured, _, err := Run(o)
	if err != nil {
		t.Fatal(err)
	}
	if p := measured[0]; p.Check() != nil || p.Name != "write" || p.Bytes != (parts{o}).total() ||
		p.IOs != p.Latency.Count || p.SyncNanoseconds <= 0 || p.Reads {
		t.Errorf("%+v, %v", p, p.Check())
	}
	return sums(t, o.Directory)
}

// The same options make the same corpus, another seed another one. Each file of a part with copies is there so often,
// and no other occurs twice.
func TestCorpus(t *testing.T) {
	o := small(t)
	got := made(t, o)
	sizes := map[string]string{}
	for path, sum := range got {
		sizes[path], _, _ = strings.Cut(sum, " ")
	}
	want := map[string]string{
		"/part0/0/0": "3145728", "/part0/0/1": "3145728", "/part0/0/2": "1048576",
		"/part1/0/0": "3145728", "/part1/0/1": "3145728", "/part1/0/2": "3145728", "/part1/0/3": "3145728",
	}
	if diff := cmp.Diff(want, sizes); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got["/part1/0/0"] != got["/part1/0/2"] || got["/part1/0/1"] != got["/part1/0/3"] ||
		got["/part1/0/0"] == got["/part1/0/1"] || got["/part0/0/0"] == got["/part0/0/1"] {
		t.Errorf("%v", got)
	}
	o.Directory = filepath.Join(t.TempDir(), "again")
	if diff := cmp.Diff(got, made(t, o)); diff != "" {
		t.Errorf("made again (-first +second):\n%s", diff)
	}
	o.Directory, o.Seed = filepath.Join(t.TempDir(), "other"), 2
	if again := made(t, o); again["/part0/0/0"] == got["/part0/0/0"] {
		t.Error("another seed made the same")
	}
}

// Many small files are spread over directories.
func TestCorpusOfManyFiles(t *testing.T) {
	o := Options{Directory: filepath.Join(t.TempDir(), "w"), FileBytes: 10,
		Parts: []corpus.Part{{Content: "Image", Bytes: 20005, Copies: 1}}}
	got := made(t, o)
	if len(got) != 2001 || !strings.HasPrefix(got["/part0/2/0"], "5 ") || got["/part0/1/999"] == "" {
		t.Errorf("%d files, the last is %q", len(got), got["/part0/2/0"])
	}
}

// The data is what its name says, and what a corpus was yesterday it is tomorrow: other data would make results of
// other releases incomparable.
func TestContents(t *testing.T) {
	tests := map[v1alpha1.CorpusContent]struct {
		// gzip -6 makes it so many times smaller.
		least, most float64
		sum         string
	}{
		v1alpha1.CorpusText:   {3, 4.5, "3bd483418a4e0c88"},
		v1alpha1.CorpusImage:  {1.5, 3, "5e7666080bdc9c03"},
		v1alpha1.CorpusZeros:  {1.9, 2.1, "4637e9ee45966a87"},
		v1alpha1.CorpusRandom: {0.9, 1, "9e7a46bd1b254c2e"},
	}
	for content, tt := range tests {
		t.Run(string(content), func(t *testing.T) {
			data := make([]byte, corpus.BlockBytes)
			fills[content](rand.NewPCG(1, 2), data)
			var compressed bytes.Buffer
			w := gzip.NewWriter(&compressed)
			if _, err := w.Write(data); err != nil || w.Close() != nil {
				t.Fatal(err)
			}
			ratio := float64(len(data)) / float64(compressed.Len())
			if t.Logf("compressed %.2f times", ratio); ratio < tt.least || ratio > tt.most {
				t.Errorf("that is not from %v to %v", tt.least, tt.most)
			}
			sum := sha256.Sum256(data)
			if got := hex.EncodeToString(sum[:8]); got != tt.sum {
				t.Errorf("sum %s, want %s", got, tt.sum)
			}
			for _, length := range []int{0, 1, 7, 4097} { // no length is too short
				fills[content](rand.NewPCG(1, 2), make([]byte, length))
			}
		})
	}
	if len(tests) != len(fills) {
		t.Errorf("%d of %d contents", len(tests), len(fills))
	}
}

func TestCorpusFails(t *testing.T) {
	tests := map[string]struct {
		change func(t *testing.T, o *Options)
		want   string
	}{
		"no files":           {func(_ *testing.T, o *Options) { o.FileBytes = 0 }, "2 parts in files of 0 bytes"},
		"nothing":            {func(_ *testing.T, o *Options) { o.Parts = nil }, "0 parts"},
		"an unknown content": {func(_ *testing.T, o *Options) { o.Parts[1].Content = "Video" }, `no such content: "Video"`},
		"made twice": {func(t *testing.T, o *Options) {
			if _, _, err := Run(*o); err != nil {
				t.Fatal(err)
			}
		}, "file exists"},
		"nowhere": {func(_ *testing.T, o *Options) { o.Directory = "/proc/nowhere/w" }, "no such file"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			o := small(t)
			tt.change(t, &o)
			if _, _, err := Run(o); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

// BenchmarkContents is how fast data is made by one CPU.
func BenchmarkContents(b *testing.B) {
	for content, fill := range fills {
		b.Run(string(content), func(b *testing.B) {
			data, random := make([]byte, corpus.BlockBytes), rand.NewPCG(1, 2)
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				fill(random, data)
			}
		})
	}
}
