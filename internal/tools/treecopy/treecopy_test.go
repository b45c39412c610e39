// SPDX-License-Identifier: Apache-2.0

package treecopy

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"zfsbench.io/operator/api/v1alpha1"
)

func TestArgv(t *testing.T) {
	tests := map[string]struct {
		workload     v1alpha1.CopyWorkload
		layout, copy string
	}{
		"defaults": {
			v1alpha1.CopyWorkload{Tool: v1alpha1.CopyCp},
			"runner tree --directory=/target/w/from --report=/out/r --levels=1 --directories=10 --files=100 --file-size=4096 " +
				"--workers=1 --phases=create --seed=5",
			"runner copy --tool=cp --from=/target/w/from/w0 --to=/target/w/to --report=/out/r --inodes=1111 --bytes=4505600",
		},
		"directories, for a minute": {
			v1alpha1.CopyWorkload{Tool: v1alpha1.CopyRsync, Levels: ptr.To[int32](2), Directories: 3, Files: ptr.To[int32](0),
				MaxTime: &metav1.Duration{Duration: time.Minute}},
			"runner tree --directory=/target/w/from --report=/out/r --levels=2 --directories=3 --files=0 --file-size=4096 " +
				"--workers=1 --phases=create --seed=5",
			"runner copy --tool=rsync --from=/target/w/from/w0 --to=/target/w/to --report=/out/r --inodes=13 --bytes=0 " +
				"--max-time=1m0s",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.layout, strings.Join(LayoutArgv(tt.workload, "/target/w", "/out/r", 5), " ")); diff != "" {
				t.Errorf("layout (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.copy, strings.Join(Argv(tt.workload, "/target/w", "/out/r"), " ")); diff != "" {
				t.Errorf("copy (-want +got):\n%s", diff)
			}
		})
	}
}

func TestToolArgv(t *testing.T) {
	tests := map[v1alpha1.CopyTool]string{"rsync": "rsync -a /a/ /b", "cp": "cp -a --reflink=never /a /b", "dd": "",
		"": ""}
	for tool, want := range tests {
		if got := strings.Join(ToolArgv(tool, "/a", "/b"), " "); got != want {
			t.Errorf("%q: %q, want %q", tool, got, want)
		}
	}
}

func TestVersion(t *testing.T) {
	captured := func(name string) string {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	tests := map[string]struct {
		tool          v1alpha1.CopyTool
		printed, want string
	}{
		"rsync":            {"rsync", captured("rsync-3.5.0-version.txt"), "rsync-3.5.0"},
		"cp":               {"cp", captured("cp-9.1-version.txt"), "cp-9.1"},
		"another cp":       {"cp", "BusyBox v1.36.1 multi-call binary.\n", ""},
		"nothing":          {"rsync", "", ""},
		"an unknown tool":  {"dd", "dd (coreutils) 9.1\n", ""},
		"the wrong tool's": {"rsync", captured("cp-9.1-version.txt"), ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := Version(tt.tool, tt.printed); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}
