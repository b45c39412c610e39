// SPDX-License-Identifier: Apache-2.0

package fio

import (
	"bytes"
	"io"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/internal/tools"
)

func TestStatusDecoder(t *testing.T) {
	tests := map[string]tools.Status{
		// [90.5%][w=12.1MiB/s][w=96 IOPS][eta 00m:02s]
		"write": {Percent: 90, WriteBytesPerSecond: 12687770},
		// [80.0%][r=66.3MiB/s][r=530 IOPS][eta 00m:01s]
		"read": {Percent: 80, ReadBytesPerSecond: 69520589},
		// [90.0%][r=6126KiB/s,w=2523KiB/s][r=382,w=157 IOPS][eta 00m:01s]
		"randrw": {Percent: 90, ReadBytesPerSecond: 6126 << 10, WriteBytesPerSecond: 2523 << 10},
		// [100.0%][r=1940MiB/s,w=837MiB/s][r=124k,w=53.6k IOPS][eta 00m:00s]
		"fast-randrw": {Percent: 100, ReadBytesPerSecond: 1940 << 20, WriteBytesPerSecond: 837 << 20},
	}
	for name, want := range tests {
		t.Run(name, func(t *testing.T) {
			in := fixture(t, "fio-3.39-"+name+".stdout")
			d := &StatusDecoder{}
			if _, err := io.Copy(d, iotest.OneByteReader(bytes.NewReader(in))); err != nil {
				t.Fatal(err)
			}
			got, ok := d.Last()
			if !ok {
				t.Fatal("no status")
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseStatus(t *testing.T) {
	tests := map[string]struct {
		line string
		want tools.Status
		ok   bool
	}{
		"nothing moves": {"Jobs: 1 (f=1): [W(1),_(2)][99.9%][eta 00m:00s]", tools.Status{Percent: 99}, true},
		"long": {
			"Jobs: 9 (f=9): [r(9)][0.1%][r=1024B/s][r=1 IOPS][eta 02d:03h:04m:05s]",
			tools.Status{ReadBytesPerSecond: 1024}, true,
		},
		"hours": {"[1.0%][eta 01h:00m:00s]", tools.Status{Percent: 1}, true},
		"fast": {"[1.0%][w=1.5GiB/s][w=1 IOPS][eta 00m:00s]", tools.Status{Percent: 1, WriteBytesPerSecond: 3 << 29},
			true},
		"starting":      {"Jobs: 4 (f=4)", tools.Status{}, false},
		"ramping up":    {"Jobs: 2 (f=2): [/(2)][-.-%][r=1MiB/s][r=1 IOPS][eta 00m:09s]", tools.Status{}, false},
		"beyond":        {"[999.9%][eta 00m:00s]", tools.Status{Percent: 100}, true},
		"anything else": {"fio: note", tools.Status{}, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, ok := parseStatus([]byte(tt.line))
			if diff := cmp.Diff(tt.want, got); diff != "" || ok != tt.ok {
				t.Errorf("ok %t (-want +got):\n%s", ok, diff)
			}
		})
	}
}

func FuzzStatusDecoder(f *testing.F) {
	f.Add(fixture(f, "fio-3.39-randrw.stdout"), 7)
	f.Add([]byte("[100.0%][r=999999999999999999999999PiB/s][ IOPS][eta 99999999999d:00m:00s]\r"), 1)
	f.Fuzz(func(t *testing.T, data []byte, at int) {
		whole, pieces := &StatusDecoder{}, &StatusDecoder{}
		if n, err := whole.Write(data); n != len(data) || err != nil {
			t.Fatalf("wrote %d of %d: %v", n, len(data), err)
		}
		at = min(max(at, 0), len(data))
		for _, piece := range [][]byte{data[:at], data[at:]} {
			if _, err := pieces.Write(piece); err != nil {
				t.Fatal(err)
			}
		}
		s, _ := whole.Last()
		if s.Percent < 0 || s.Percent > 100 || s.ReadBytesPerSecond < 0 || s.WriteBytesPerSecond < 0 {
			t.Fatalf("impossible status %+v", s)
		}
		if other, _ := pieces.Last(); len(data) < maxStatusLine && other != s {
			t.Fatalf("in pieces %+v, as a whole %+v", other, s)
		}
	})
}
