// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	seedMaps = "00400000-0040b000 r--p 00000000 08:01 131 /usr/bin/cat\n7f0000000000-7f0000001000 rw-p 00000000 00:00 0 \n" +
		"7f0000002000-7f0000003000 rw-s 00000000 00:05 99                         /dev/a b\n"
	seedRing = "pos:\t0\nSQEs:\t1\n    0: opcode:1\nUserFiles:\t2\n    0: <none>\n    1: /dev/sda\nUserBufs:\t1\n    0: 0x1/2\n"
)

func TestParseMaps(t *testing.T) {
	got, err := parseMaps(strings.NewReader(seedMaps))
	want := []mapping{{"400000-40b000", "08:01 131 /usr/bin/cat"}, {"7f0000002000-7f0000003000", "00:05 99 /dev/a b"}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("error %v (-want +got):\n%s", err, diff)
	}
}

func TestParseRing(t *testing.T) {
	got, err := parseRing(strings.NewReader(seedRing))
	if diff := cmp.Diff([]string{"<none>", "sda"}, got); diff != "" || err != nil {
		t.Errorf("error %v (-want +got):\n%s", err, diff)
	}
	sparse := "UserFiles:\t64\n    3: \n    7: vdb\nUserBufs:\t0\n"
	if got, err := parseRing(strings.NewReader(sparse)); err != nil || !slices.Contains(got, "vdb") {
		t.Errorf("a table of which only what is used is listed: %q, error %v", got, err)
	}
	for _, busy := range []string{"", "pos:\t0\n", "UserFiles:\t1\n", "UserFiles:\t1\nUserBufs:\t0\n"} {
		if _, err := parseRing(strings.NewReader(busy)); !errors.Is(err, errRingBusy) {
			t.Errorf("%q: error %v", busy, err)
		}
	}
	if _, err := parseRing(strings.NewReader("UserFiles:\tx\n")); err == nil || errors.Is(err, errRingBusy) {
		t.Errorf("garbage: error %v", err)
	}
}

// TestOrdinaryFiles: only what surely is no device is remembered as none, for all processes.
func TestOrdinaryFiles(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for link, want := range map[string]bool{file: true, file + "-gone": false, "/dev/null": false} {
		found := opened{block: map[Number]bool{}, character: map[Number]bool{}}
		if got := (node{root: "/", devices: linux{}}).addDevice(&found, link); got != want {
			t.Errorf("%s: ordinary %t, want %t", link, got, want)
		}
	}
}

// FuzzParseMaps wants every mapping of a file, with a name that map_files can have.
func FuzzParseMaps(f *testing.F) {
	f.Add(seedMaps)
	f.Add("0-0 r 0 0 1\n")
	f.Fuzz(func(t *testing.T, text string) {
		mappings, err := parseMaps(strings.NewReader(text))
		if err == nil && len(mappings) > strings.Count(text, "\n") {
			t.Fatalf("%d mappings of %q", len(mappings), text)
		}
		for _, m := range mappings {
			if !strings.Contains(m.Name, "-") || m.File == "" || strings.HasPrefix(m.Name, "00") {
				t.Fatalf("mapping %+v", m)
			}
		}
	})
}

// FuzzParseRing wants as many files as the ring says it has, or an error.
func FuzzParseRing(f *testing.F) {
	f.Add(seedRing)
	f.Add("UserFiles:\t1\nUserFiles:\t2\n")
	f.Fuzz(func(t *testing.T, text string) {
		names, err := parseRing(strings.NewReader(text))
		if err == nil && !strings.Contains(text, "UserFiles:") || len(names) > strings.Count(text, ": ") {
			t.Fatalf("%q has %q, error %v", text, names, err)
		}
	})
}
