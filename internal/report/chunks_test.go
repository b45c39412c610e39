// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/internal/analysis/compare"
	"zfsbench.io/operator/internal/report/model"
)

// joinChunks puts documents together again, as the documentation says.
func joinChunks(chunks []Chunk) map[string]string {
	pieces, out := map[string]string{}, map[string]string{}
	for _, c := range chunks {
		maps.Copy(pieces, c.Data)
	}
	for _, key := range slices.Sorted(maps.Keys(pieces)) {
		for _, document := range []string{model.ComparableKey, model.MarkdownKey, model.CSVKey, model.JSONKey} {
			if strings.HasPrefix(key, document) {
				out[document] += pieces[key]
			}
		}
	}
	return out
}

func TestChunks(t *testing.T) {
	lines := func(n int) []byte { return bytes.Repeat([]byte("0123456789abcde\n"), n/16) }
	tests := map[string]struct {
		out  Output
		want []string
	}{
		"small": {Output{Markdown: lines(160), CSV: lines(160), JSON: lines(160)},
			[]string{"b: comparable.json results.csv results.json summary.md"}},
		"empty": {Output{}, []string{"b: comparable.json results.csv results.json summary.md"}},
		"JSON elsewhere": {Output{Markdown: lines(160), CSV: lines(160), JSON: lines(MaxObjectBytes - 64)},
			[]string{"b: comparable.json results.csv summary.md", "b-1: results.json"}},
		"JSON in pieces": {
			Output{Markdown: lines(160), CSV: lines(200 << 10), JSON: lines(600 << 10)},
			[]string{"b: comparable.json results.csv summary.md", "b-1: results.json.000", "b-2: results.json.001",
				"b-3: results.json.002"},
		},
		"all large": {
			Output{Markdown: lines(300 << 10), CSV: lines(300 << 10), JSON: lines(300 << 10)},
			[]string{"b: comparable.json summary.md.000", "b-1: results.csv.000 summary.md.001",
				"b-2: results.csv.001 results.json.000", "b-3: results.json.001"},
		},
		"one line": {Output{JSON: bytes.Repeat([]byte("µ"), 150<<10)},
			[]string{"b: comparable.json results.csv results.json.000 summary.md", "b-1: results.json.001"}},
		"to compare with": {
			Output{Comparable: lines(compare.MaxBytes), Markdown: lines(200 << 10), CSV: lines(160)},
			[]string{"b: comparable.json summary.md.000", "b-1: results.csv results.json summary.md.001"},
		},
		"just fits": {Output{JSON: lines(MaxObjectBytes - 64)},
			[]string{"b: comparable.json results.csv results.json summary.md"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			chunks := Chunks("b", tt.out)
			var got []string
			for _, c := range chunks {
				size := 0
				for key, value := range c.Data {
					size += len(key) + len(value)
					if !utf8.ValidString(value) {
						t.Errorf("%s of %s is cut within a rune", key, c.Name)
					}
				}
				if size > MaxObjectBytes {
					t.Errorf("%s has %d bytes", c.Name, size)
				}
				got = append(got, c.Name+": "+strings.Join(slices.Sorted(maps.Keys(c.Data)), " "))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			want := map[string]string{model.ComparableKey: string(tt.out.Comparable),
				model.MarkdownKey: string(tt.out.Markdown), model.CSVKey: string(tt.out.CSV), model.JSONKey: string(tt.out.JSON)}
			if diff := cmp.Diff(want, joinChunks(chunks)); diff != "" {
				t.Error("put together, the documents differ")
			}
			var objects []map[string]string
			for _, c := range slices.Backward(chunks) {
				objects = append(objects, c.Data)
			}
			for key, text := range want {
				if got, found := Document(objects, key); !found || got != text {
					t.Errorf("Document returns %d bytes for %s, want %d", len(got), key, len(text))
				}
			}
			if text, found := Document(objects, model.StorageClassKey); found || text != "" {
				t.Errorf("a document that is not there is %q", text)
			}
		})
	}
}

func FuzzChunks(f *testing.F) {
	f.Add(10, 300000, "a\n", 70000)
	f.Add(0, 0, "", 0)
	f.Fuzz(func(t *testing.T, a, b int, text string, times int) {
		sized := func(n int) []byte { return bytes.Repeat([]byte("x"), min(max(n, 0), 1<<20)) }
		if !utf8.ValidString(text) || len(text) > 64 {
			return
		}
		out := Output{Markdown: sized(a), CSV: sized(b), JSON: []byte(strings.Repeat(text, min(max(times, 0), 1<<15)))}
		chunks := Chunks("b", out)
		for i, c := range chunks {
			size := 0
			for key, value := range c.Data {
				size += len(key) + len(value)
				if !utf8.ValidString(value) {
					t.Fatalf("%s is cut within a rune", key)
				}
			}
			if size > MaxObjectBytes || i > 0 && c.Name != fmt.Sprintf("b-%d", i) {
				t.Fatalf("%s has %d bytes", c.Name, size)
			}
		}
		joined := joinChunks(chunks)
		if joined[model.MarkdownKey] != string(out.Markdown) || joined[model.CSVKey] != string(out.CSV) ||
			joined[model.JSONKey] != string(out.JSON) {
			t.Fatal("put together, the documents differ")
		}
	})
}
