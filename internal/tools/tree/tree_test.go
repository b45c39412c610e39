// SPDX-License-Identifier: Apache-2.0

package tree

import (
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
		Levels: ptr.To[int32](2), Directories: 3, Files: ptr.To[int32](4), FileSize: ptr.To(resource.MustParse("8Ki")),
		Workers: 2, Fsync: true,
		Phases: []v1alpha1.TreePhase{"stat", "delete"}, MaxTime: &metav1.Duration{Duration: time.Minute},
	}
	tests := map[string]struct {
		workload v1alpha1.TreeWorkload
		layout   bool
		want     string
	}{
		"defaults": {v1alpha1.TreeWorkload{}, false,
			"--levels=1 --directories=10 --files=100 --file-size=4096 --workers=1 --phases=create,stat,rewrite,read,delete " +
				"--seed=5"},
		"full": {full, false, "--levels=2 --directories=3 --files=4 --file-size=8192 --workers=2 --phases=stat,delete " +
			"--seed=5 --fsync --max-time=1m0s"},
		"layout": {full, true, "--levels=2 --directories=3 --files=4 --file-size=8192 --workers=2 --phases=create --seed=5 " +
			"--fsync"},
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
