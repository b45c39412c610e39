// SPDX-License-Identifier: Apache-2.0

package module

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// fake is a /sys with a few parameters, and a /proc.
func fake(t *testing.T) Parameters {
	t.Helper()
	root := t.TempDir()
	stats, err := os.ReadFile(filepath.Join("..", "..", "..", "node", "monitor", "testdata", "arcstats-zfs-2.3.9.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for path, value := range map[string]string{
		"sys/module/zfs/parameters/l2arc_write_max":     "33554432\n",
		"sys/module/zfs/parameters/zfs_fletcher_4_impl": "fastest scalar [superscalar] avx2 ",
		"sys/module/spl/parameters/spl_hostid":          "0\n",
		"proc/sys/kernel/random/boot_id":                "0c7c9a41-8a2e-4fbb-9f4d-1f2d3c4b5a69\n",
		"proc/spl/kstat/zfs/arcstats":                   string(stats),
	} {
		file := filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(value), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return Parameters{Sys: filepath.Join(root, "sys"), Proc: filepath.Join(root, "proc")}
}

func TestGet(t *testing.T) {
	p := fake(t)
	for name, want := range map[string]string{"l2arc_write_max": "33554432", "spl_hostid": "0",
		"zfs_fletcher_4_impl": "superscalar"} {
		if got, err := p.Get(name); err != nil || got != want {
			t.Errorf("%s is %q, %v, want %q", name, got, err, want)
		}
		if err := p.Check(name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if id, err := p.BootID(); err != nil || id != "0c7c9a41-8a2e-4fbb-9f4d-1f2d3c4b5a69" {
		t.Errorf("boot %q, %v", id, err)
	}
}

func TestSet(t *testing.T) {
	p := fake(t)
	if err := p.Set("l2arc_write_max", "13421772"); err != nil {
		t.Fatal(err)
	}
	// A file, other than a parameter, keeps the end of a longer value: this one is as long.
	if got, err := p.Get("l2arc_write_max"); err != nil || got != "13421772" {
		t.Errorf("value %q, %v, after it was set", got, err)
	}
}

// A parameter that shows the value is not written to; what was chosen among several values is one.
func TestSetToTheSame(t *testing.T) {
	p := fake(t)
	file := filepath.Join(p.Sys, "module", "zfs", "parameters", "zfs_fletcher_4_impl")
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Set("zfs_fletcher_4_impl", "superscalar"); err != nil {
		t.Error(err)
	}
	if after, err := os.ReadFile(file); err != nil || string(after) != string(before) {
		t.Errorf("it was written: %q, %v", after, err)
	}
}

func TestUnknownParameters(t *testing.T) {
	p := fake(t)
	for _, name := range []string{"zfs_nonsense", "../../../etc/passwd", "", "a/b", "A", strings.Repeat("a", 65)} {
		_, errGet := p.Get(name)
		errSet, errCheck := p.Set(name, "1"), p.Check(name)
		if errGet == nil || errSet == nil || errCheck == nil {
			t.Errorf("%q: get %v, set %v, check %v; want errors", name, errGet, errSet, errCheck)
		}
	}
	var unknown *UnknownError
	if _, err := p.Get("zfs_nonsense"); !errors.As(err, &unknown) || unknown.Name != "zfs_nonsense" {
		t.Errorf("error %v", err)
	}
}

// A parameter that takes another value than it was given, as one that is clamped does, is an error.
func TestValueThatIsNotTaken(t *testing.T) {
	p := fake(t)
	file := filepath.Join(p.Sys, "module", "zfs", "parameters", "l2arc_write_max")
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/dev/null", file); err != nil {
		t.Fatal(err)
	}
	if err := p.Set("l2arc_write_max", "7"); err == nil || !strings.Contains(err.Error(), "l2arc_write_max to 7") {
		t.Errorf("error %v", err)
	}
}

// TestCheckThatCannotWrite stands in for a parameter without a way to set it, which sysfs lets nobody open for writing,
// not even root.
func TestCheckThatCannotWrite(t *testing.T) {
	p := fake(t)
	file := filepath.Join(p.Sys, "module", "zfs", "parameters", "l2arc_write_max")
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	// Of what root may read and not write, a program that runs is on every machine.
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(program, file); err != nil {
		t.Fatal(err)
	}
	if err := p.Check("l2arc_write_max"); err == nil || !strings.Contains(err.Error(), "l2arc_write_max cannot be set") {
		t.Errorf("error %v", err)
	}
}

func TestInEffect(t *testing.T) {
	p := fake(t)
	for name, want := range map[string]string{"zfs_arc_max": "4088782848", "zfs_arc_min": "161328896",
		"zfs_arc_sys_free": "230302976", "l2arc_write_max": ""} {
		if got, err := p.InEffect(name); err != nil || got != want {
			t.Errorf("%s: in effect is %q, %v, want %q", name, got, err, want)
		}
	}
	for name, stats := range map[string]string{"nothing": "", "another kstat": "c_min 4 1\n"} {
		if err := os.WriteFile(filepath.Join(p.Proc, "spl", "kstat", "zfs", "arcstats"), []byte(stats), 0o644); err != nil {
			t.Fatal(err)
		}
		if got, err := p.InEffect("zfs_arc_max"); err == nil {
			t.Errorf("%s: in effect is %q, want an error", name, got)
		}
	}
}

func TestAffected(t *testing.T) {
	tests := map[string]struct{ names, want []string }{
		"none":   {nil, nil},
		"others": {[]string{"zfs_txg_timeout", "l2arc_write_max"}, []string{"l2arc_write_max", "zfs_txg_timeout"}},
		"one limit": {[]string{"zfs_txg_timeout", "zfs_arc_min"},
			[]string{"zfs_arc_max", "zfs_arc_min", "zfs_txg_timeout"}},
		"both limits":   {[]string{"zfs_arc_min", "zfs_arc_max"}, []string{"zfs_arc_max", "zfs_arc_min"}},
		"not the limit": {[]string{"zfs_arc_sys_free"}, []string{"zfs_arc_sys_free"}},
	}
	for name, tt := range tests {
		if diff := cmp.Diff(tt.want, Affected(tt.names)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
