// SPDX-License-Identifier: Apache-2.0

package work

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/api/v1alpha1"
)

func few(t *testing.T, phases ...v1alpha1.StreamsPhase) Options {
	t.Helper()
	return Options{Directory: filepath.Join(t.TempDir(), "w"), Counts: []int32{1, 3}, StreamBytes: 10 << 10,
		BlockBytes: 4 << 10, Phases: phases, Seed: 1}
}

// Every count is a phase; each stream has a file of its own, of data that nothing else has.
func TestStreams(t *testing.T) {
	o := few(t, "write", "read")
	measured, err := Run(o)
	if err != nil {
		t.Fatal(err)
	}
	type did struct {
		Name       string
		IOs, Bytes int64
		Reads      bool
	}
	var got []did
	for _, p := range measured {
		got = append(got, did{p.Name, p.IOs, p.Bytes, p.Reads})
		if err := p.Check(); err != nil || p.Latency.Count != p.IOs || p.SyncNanoseconds <= 0 ||
			p.BandwidthBytesPerSecond <= 0 {
			t.Errorf("%s: %v, %+v", p.Name, err, p)
		}
	}
	want := []did{{"write1", 3, 10 << 10, false}, {"write3", 9, 30 << 10, false}, {"read1", 3, 10 << 10, true},
		{"read3", 9, 30 << 10, true}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	files, err := filepath.Glob(filepath.Join(o.Directory, "*", "s*"))
	if err != nil || len(files) != 4 {
		t.Fatalf("%q, %v", files, err)
	}
	seen := map[string]string{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil || len(data) != 10<<10 {
			t.Fatalf("%s has %d bytes, %v", file, len(data), err)
		}
		for block := range slices.Chunk(data, 4<<10) {
			if other := seen[string(block)]; other != "" {
				t.Errorf("%s has a block of %s", file, other)
			}
			seen[string(block)] = file
		}
	}
}

// What was laid out before can be read by itself.
func TestStreamsAreReadLater(t *testing.T) {
	o := few(t, "write")
	if _, err := Run(o); err != nil {
		t.Fatal(err)
	}
	o.Phases = []v1alpha1.StreamsPhase{"read"}
	if measured, err := Run(o); err != nil || len(measured) != 2 || measured[1].Bytes != 30<<10 {
		t.Errorf("%+v, %v", measured, err)
	}
}

func TestStreamsFail(t *testing.T) {
	tests := map[string]struct {
		change func(t *testing.T, o *Options)
		want   string
	}{
		"nothing to read": {func(_ *testing.T, o *Options) { o.Phases = []v1alpha1.StreamsPhase{"read"} }, "read1: open "},
		"an unknown phase": {func(_ *testing.T, o *Options) {
			o.Phases = []v1alpha1.StreamsPhase{"trim"}
		}, "trim1: no such phase"},
		"no size": {func(_ *testing.T, o *Options) { o.StreamBytes = 0 }, "streams of 0 bytes"},
		"written twice": {func(t *testing.T, o *Options) {
			if _, err := Run(*o); err != nil {
				t.Fatal(err)
			}
		}, "file exists"},
		"a file that is too short": {func(t *testing.T, o *Options) {
			if _, err := Run(*o); err != nil {
				t.Fatal(err)
			}
			if err := os.Truncate(filepath.Join(o.Directory, "3", "s1"), 9<<10); err != nil {
				t.Fatal(err)
			}
			o.Phases = []v1alpha1.StreamsPhase{"read"}
		}, "s1: it ends 1024 bytes too early"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			o := few(t, "write")
			tt.change(t, &o)
			if _, err := Run(o); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}
