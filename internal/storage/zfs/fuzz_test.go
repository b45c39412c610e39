// SPDX-License-Identifier: Apache-2.0

package zfs

import (
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/text/lines"
)

// captures are all captured outputs of a tool, by the beginning of their names.
func captures(t testing.TB, prefix string) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", prefix+"*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %d files, error %v", prefix, len(files), err)
	}
	found := map[string]string{}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		found[filepath.Base(file)] = string(content)
	}
	return found
}

// parsers of all outputs by the beginning of their fixtures' names, and what must hold of whatever they return.
func parsers() map[string]func(*testing.T, io.Reader) (any, error) {
	return map[string]func(*testing.T, io.Reader) (any, error){
		"zfs-get": checked(ParseProperties, func(t *testing.T, properties map[string]string) {
			for name := range properties {
				oneWord(t, "property", name)
			}
			facts, err := factsFrom(properties, properties)
			if err == nil && (facts.SizeBytes < 0 || facts.AllocatedBytes < 0 || facts.CapacityPercent < 0 ||
				facts.FragmentationPercent < -1 ||
				!finite(facts.DedupRatio) || !finite(facts.CompressRatio)) {
				t.Fatalf("facts %+v", facts)
			}
		}),
		"zfs-list": checked(ParseDatasets, func(t *testing.T, names []string) {
			for _, name := range names {
				oneWord(t, "dataset", name)
			}
		}),
		"zfs-version": checked(ParseVersion, func(t *testing.T, version string) { oneWord(t, "version", version) }),
		"zpool-list-2": checked(ParsePools, func(t *testing.T, pools []Pool) {
			for _, pool := range pools {
				oneWord(t, "pool", pool.Name)
				guid(t, pool.GUID)
			}
		}),
		"zpool-list-vdevs": checked(ParseVdevPaths, absolute),
		"zpool-status":     checked(ParseDevices, absolute),
		"zpool-status-": checked(ParseStatus, func(t *testing.T, s Status) {
			for _, v := range s.Vdevs {
				oneWord(t, "vdev", v.Name)
				if v.ReadErrors < 0 || v.WriteErrors < 0 || v.ChecksumErrors < 0 {
					t.Fatalf("vdev %+v", v)
				}
			}
		}),
		"zpool-iostat-w": checked(ParseWaits, func(t *testing.T, all []Waits) {
			for _, w := range all {
				if w.Vdev == "" || strings.ContainsAny(w.Vdev, "\t\n\x00") || len(w.TotalRead) == 0 {
					t.Fatalf("waits %+v", w)
				}
			}
		}),
		"zpool-import": checked(ParseImportable, func(t *testing.T, pools []ImportablePool) {
			for _, pool := range pools {
				guid(t, pool.GUID)
				absolute(t, pool.Paths)
			}
		}),
		"zdb-label": checked(func(r io.Reader) ([]Label, error) {
			labels, _, err := ParseLabels(r)
			return labels, err
		}, func(t *testing.T, labels []Label) {
			if len(labels) > labelsPerDevice {
				t.Fatalf("%d labels", len(labels))
			}
			for _, l := range labels {
				if l.State < 0 || l.Children < 0 || l.TopID < -1 || l.Ashift < 0 ||
					max(l.State, l.Children, l.TopID, l.Ashift) > math.MaxUint16 {
					t.Fatalf("label %+v", l)
				}
			}
		}),
		"zdb-simulated-dedup": checked(ParseSimulatedDedup, func(t *testing.T, d result.SimulatedDedup) {
			for _, factor := range []float64{d.Dedup, d.Compress, d.Copies, d.Combined} {
				if !finite(factor) || factor == 0 {
					t.Fatalf("factors %+v", d)
				}
			}
		}),
		"zdb-blocks": checked(ParseAllocation, func(t *testing.T, a result.Allocation) {
			if a.Gaps < 0 || a.Gaps > a.Neighbours || a.Neighbours > a.Blocks || a.Files > a.Blocks || a.Bytes < a.Blocks {
				t.Fatalf("allocation %+v", a)
			}
		}),
	}
}

// checked is a parser that fails the test when it returns what it must not.
func checked[T any](
	parse func(io.Reader) (T, error), check func(*testing.T, T),
) func(*testing.T, io.Reader) (any, error) {
	return func(t *testing.T, r io.Reader) (any, error) {
		got, err := parse(r)
		if err == nil {
			check(t, got)
		}
		return got, err
	}
}

func finite(f float64) bool { return f >= 0 && !math.IsInf(f, 0) }

// oneWord wants a name that is text on one line, and in no column beside another.
func oneWord(t *testing.T, what, name string) {
	t.Helper()
	if name == "" || strings.ContainsAny(name, "\t\n\x00") || !utf8.ValidString(name) {
		t.Fatalf("%s %q", what, name)
	}
}

func guid(t *testing.T, text string) {
	t.Helper()
	if text == "" || len(text) > 20 || strings.Trim(text, "0123456789") != "" {
		t.Fatalf("GUID %q", text)
	}
}

func absolute(t *testing.T, paths []string) {
	t.Helper()
	for _, path := range paths {
		oneWord(t, "path", path)
		if !filepath.IsAbs(path) {
			t.Fatalf("path %q", path)
		}
	}
}

// TestNothingFromPartOfALine reads every part of every captured output, from the beginning. One that ends within a line
// is an error, wherever a parser has to read it to its end.
func TestNothingFromPartOfALine(t *testing.T) {
	for prefix, parse := range parsers() {
		for name, whole := range captures(t, prefix) {
			want, err := parse(t, strings.NewReader(whole))
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			for length := range len(whole) {
				got, err := parse(t, strings.NewReader(whole[:length]))
				if err == nil && length > 0 && whole[length-1] != '\n' && cmp.Diff(want, got) != "" {
					t.Fatalf("%s: %d of %d bytes are read as %v", name, length, len(whole), got)
				}
			}
		}
	}
}

func TestOutputsAreBounded(t *testing.T) {
	for prefix, parse := range parsers() {
		var limit *lines.LimitError
		if _, err := parse(t, strings.NewReader(strings.Repeat("x", lines.MaxLineBytes+1))); !errors.As(err, &limit) {
			t.Errorf("%s: a line without end: got %v, want a LimitError", prefix, err)
		}
		if _, err := parse(t, strings.NewReader("LABEL 0\n    name: '\xff'\n")); err == nil {
			t.Errorf("%s: what is no text was read", prefix)
		}
	}
}

func FuzzParsers(f *testing.F) {
	for prefix := range parsers() {
		for _, output := range captures(f, prefix) {
			f.Add(output)
		}
	}
	for _, seed := range []string{
		strings.Repeat("LABEL 0\n", 5), "LABEL 0\n    vdev_children: -1\n", "LABEL 0\n        ashift: 99999999999999999999\n",
		"tank\t-1\tONLINE\t-\n",
		"size\t-1\n", "dedupratio\tNaN\n", "   pool: a\n     id: x\n  state: ONLINE\n", "zfs-\n", "a\tb\na\tc\n",
		"    Object  lvl   iblk\n  2  ZFS plain file\n 0 L0 0:1000:1000 x\n 0 L0 0:0:0 x\n",
		" state: ONLINE\n\tNAME STATE READ WRITE CKSUM\n\ta b -1 0 9223372036854775808\n\ta b 0 0 0 (trimming)\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, output string) {
		for _, parse := range parsers() {
			_, _ = parse(t, strings.NewReader(output))
		}
	})
}

// FuzzFacts reads properties as numbers.
func FuzzFacts(f *testing.F) {
	for _, value := range []string{"1073741824", "-1", "1.50", "NaN", "Inf", "1e999", "0x10", "9223372036854775808", "",
		"-"} {
		f.Add(value)
	}
	f.Fuzz(func(t *testing.T, value string) {
		pool := map[string]string{"size": value, "allocated": value, "capacity": value, "dedupratio": value,
			"fragmentation": value}
		facts, err := factsFrom(pool, map[string]string{"compressratio": value})
		if facts.SizeBytes < 0 || facts.AllocatedBytes < 0 || facts.CapacityPercent < 0 || facts.FragmentationPercent < -1 ||
			!finite(facts.DedupRatio) ||
			!finite(facts.CompressRatio) {
			t.Fatalf("facts %+v", facts)
		}
		var parse *ParseError
		if err != nil && !errors.As(err, &parse) {
			t.Fatalf("error %v", err)
		}
	})
}
