// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"errors"
	"strings"
	"testing"

	"zfsbench.io/operator/internal/tools/toolreport"
)

func TestParse(t *testing.T) {
	const report = `{"version": "v1", "phases": [{"name": "create", "bytes": 4096, "ios": 2, "runtimeNanoseconds": 1000000000, "bandwidthBytesPerSecond": 4096, "iops": 2, "latency": {}, "syncNanoseconds": 5}]}`
	s, err := Parse("tree", strings.NewReader(report))
	if err != nil || s.Tool != "tree" || s.ToolVersion != "tree-v1" || len(s.Phases) != 1 || s.RuntimeNanoseconds != 1e9 ||
		s.Phases[0].IOPS != 2 {
		t.Errorf("%+v, %v", s, err)
	}
	tests := map[string]struct{ text, want string }{
		"nothing":          {"", "tree wrote no report"},
		"words":            {"hello", "tree report"},
		"an unknown field": {`{"evil": 1}`, "unknown field"},
		"cut off":          {report[:50], "unexpected EOF"},
		"a failure":        {`{"version": "v1", "failure": "create: mkdir /target/w: file exists"}`, "tree: create: mkdir"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if _, err := Parse("tree", strings.NewReader(tt.text)); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
	var missing *toolreport.MissingError
	if _, err := Parse("tree", strings.NewReader("")); !errors.As(err, &missing) {
		t.Errorf("nothing: %v", err)
	}
}

func TestStatus(t *testing.T) {
	d := &StatusDecoder{}
	if _, ok := d.Last(); ok {
		t.Error("a percentage of nothing")
	}
	for _, c := range "create 10\ncreate 42\nnoise\ncreate 1000\n" { // in pieces of any size
		if _, err := d.Write([]byte(string(c))); err != nil {
			t.Fatal(err)
		}
	}
	if status, ok := d.Last(); !ok || status.Percent != 42 {
		t.Errorf("%+v, %t", status, ok)
	}
	if _, err := d.Write([]byte(strings.Repeat("x", 1<<20))); err != nil || len(d.pending) > maxStatusLine {
		t.Errorf("%d bytes pending, %v", len(d.pending), err)
	}
}

// FuzzParse: whatever the program is made to write, it is read or an error.
func FuzzParse(f *testing.F) {
	f.Add(
		`{"version": "v1", "phases": [{"name": "create", "ios": 2, "runtimeNanoseconds": 1000000000, "iops": 2, "latency": {}}]}`,
	)
	f.Add(`{"version": "v1", "failure": "no space"}`)
	f.Fuzz(func(_ *testing.T, text string) { _, _ = Parse("tree", strings.NewReader(text)) })
}
