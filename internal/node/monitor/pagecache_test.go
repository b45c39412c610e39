// SPDX-License-Identifier: Apache-2.0

package monitor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPageCacheBytes(t *testing.T) {
	const memory = "MemTotal:        4000 kB\n"
	tests := map[string]struct {
		cgroup string
		limits map[string]string
		want   int64
		fails  bool
	}{
		"no limit": {cgroup: "0::/pods/a\n", limits: map[string]string{"pods/a": "max\n", "pods": "max\n"},
			want: 4000 << 10},
		"its own": {cgroup: "0::/pods/a\n", limits: map[string]string{"pods/a": "1048576\n", "pods": "max\n"},
			want: 1 << 20},
		"one above": {cgroup: "0::/pods/a\n", limits: map[string]string{"pods/a": "max\n", "pods": "1048576\n"},
			want: 1 << 20},
		"more than there is": {cgroup: "0::/pods/a\n", limits: map[string]string{"pods/a": "1099511627776\n"},
			want: 4000 << 10},
		"the root":           {cgroup: "0::/\n", want: 4000 << 10},
		"the root, of a pod": {cgroup: "0::/\n", limits: map[string]string{"/": "1048576\n"}, want: 1 << 20},
		"outside of the space": {cgroup: "0::/../../system\n", limits: map[string]string{"system": "1048576\n"},
			want: 1 << 20},
		"only version 1": {cgroup: "4:memory:/pods/a\n", want: 4000 << 10},
		"nonsense":       {cgroup: "0::/pods\n", limits: map[string]string{"pods": "much\n"}, fails: true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			n := Kernel{Proc: filepath.Join(t.TempDir(), "proc"), Sys: filepath.Join(t.TempDir(), "sys")}
			write(t, filepath.Join(n.Proc, "meminfo"), memory)
			write(t, filepath.Join(n.Proc, "self", "cgroup"), tt.cgroup)
			for group, limit := range tt.limits {
				write(t, filepath.Join(n.Sys, "fs", "cgroup", group, "memory.max"), limit)
			}
			got, err := n.PageCacheBytes()
			if got != tt.want || (err != nil) != tt.fails {
				t.Errorf("got %d, error %v; want %d", got, err, tt.want)
			}
		})
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// FuzzParseCgroup wants a path that stays below the root of the hierarchy.
func FuzzParseCgroup(f *testing.F) {
	f.Add("0::/kubepods.slice/a.scope\n")
	f.Add("0::/../../x\n")
	f.Fuzz(func(t *testing.T, text string) {
		group, err := parseCgroup(strings.NewReader(text))
		if err == nil && group != "" && (!strings.HasPrefix(group, "/") || strings.Contains(group+"/", "/../")) {
			t.Errorf("%q is read as %q", text, group)
		}
	})
}
