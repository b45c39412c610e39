// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"zfsbench.io/operator/api/v1alpha1"
)

func TestShape(t *testing.T) {
	tests := map[string]struct {
		shape              Shape
		directories, files int64
	}{
		"one directory": {Shape{Levels: 0, Directories: 10, Files: 7}, 1, 7},
		"one level":     {Shape{Levels: 1, Directories: 10, Files: 100}, 11, 1100},
		"fdtree":        {Shape{Levels: 4, Directories: 10, Files: 10}, 11111, 111110},
		"a chain":       {Shape{Levels: 16, Directories: 1, Files: 1}, 17, 17},
		"beyond all":    {Shape{Levels: 16, Directories: 100000, Files: 10000000}, 1 << 60, 1 << 60},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if d, f := tt.shape.DirectoryCount(), tt.shape.FileCount(); d != tt.directories || f != tt.files {
				t.Errorf("%d directories, %d files, want %d, %d", d, f, tt.directories, tt.files)
			}
			if n := tt.shape.Inodes(); n < tt.directories {
				t.Errorf("%d inodes", n)
			}
		})
	}
}

func TestArgv(t *testing.T) {
	full := v1alpha1.TreeWorkload{
		Levels: ptr.To[int32](2), Directories: 3, Files: ptr.To[int32](4), FileSize: ptr.To(resource.MustParse("8Ki")), Workers: 2, Fsync: true,
		Phases: []v1alpha1.TreePhase{"stat", "delete"}, MaxTime: &metav1.Duration{Duration: time.Minute},
	}
	tests := map[string]struct {
		workload v1alpha1.TreeWorkload
		layout   bool
		want     string
	}{
		"defaults": {v1alpha1.TreeWorkload{}, false, "--levels=1 --directories=10 --files=100 --file-size=4096 --workers=1 --phases=create,stat,rewrite,read,delete --seed=5"},
		"full":     {full, false, "--levels=2 --directories=3 --files=4 --file-size=8192 --workers=2 --phases=stat,delete --seed=5 --fsync --max-time=1m0s"},
		"layout":   {full, true, "--levels=2 --directories=3 --files=4 --file-size=8192 --workers=2 --phases=create --seed=5 --fsync"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := strings.Join(Argv(tt.workload, "/target/w", "/out/r", 5, tt.layout), " ")
			if diff := cmp.Diff("runner tree --directory=/target/w --report=/out/r "+tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestParse(t *testing.T) {
	const report = `{"version": "v1", "phases": [{"name": "create", "bytes": 4096, "ios": 2, "runtimeNanoseconds": 1000000000, "bandwidthBytesPerSecond": 4096, "iops": 2, "latency": {}, "syncNanoseconds": 5}]}`
	s, err := Parse(strings.NewReader(report))
	if err != nil || s.Tool != "tree" || s.ToolVersion != "tree-v1" || len(s.Phases) != 1 || s.RuntimeNanoseconds != 1e9 || s.Phases[0].IOPS != 2 {
		t.Errorf("%+v, %v", s, err)
	}
	tests := map[string]struct{ text, want string }{
		"nothing":          {"", ErrNoReport.Error()},
		"words":            {"hello", "report of the tree workload"},
		"an unknown field": {`{"evil": 1}`, "unknown field"},
		"cut off":          {report[:50], "unexpected EOF"},
		"a failure":        {`{"version": "v1", "failure": "create: mkdir /target/w: file exists"}`, "tree: create: mkdir"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if _, err := Parse(strings.NewReader(tt.text)); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
	if _, err := Parse(strings.NewReader("")); !errors.Is(err, ErrNoReport) {
		t.Errorf("nothing: %v", err)
	}
}

func TestStatus(t *testing.T) {
	d := &StatusDecoder{}
	if _, ok := d.Percent(); ok {
		t.Error("a percentage of nothing")
	}
	for _, c := range "create 10\ncreate 42\nnoise\ncreate 1000\n" { // in pieces of any size
		if _, err := d.Write([]byte(string(c))); err != nil {
			t.Fatal(err)
		}
	}
	if percent, ok := d.Percent(); !ok || percent != 42 {
		t.Errorf("%d, %t", percent, ok)
	}
	if _, err := d.Write([]byte(strings.Repeat("x", 1<<20))); err != nil || len(d.pending) > maxStatusLine {
		t.Errorf("%d bytes pending, %v", len(d.pending), err)
	}
}

// FuzzParse: whatever the program is made to write, it is read or an error.
func FuzzParse(f *testing.F) {
	f.Add(`{"version": "v1", "phases": [{"name": "create", "ios": 2, "runtimeNanoseconds": 1000000000, "iops": 2, "latency": {}}]}`)
	f.Add(`{"version": "v1", "failure": "no space"}`)
	f.Fuzz(func(_ *testing.T, text string) { _, _ = Parse(strings.NewReader(text)) })
}
