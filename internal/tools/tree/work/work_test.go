// SPDX-License-Identifier: Apache-2.0

package work

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/tools/tree"
)

// small is two workers with 7 directories and 14 files each.
func small(t *testing.T, phases ...v1alpha1.TreePhase) Options {
	t.Helper()
	return Options{
		Directory: filepath.Join(t.TempDir(), "w"),
		Shape:     tree.Shape{Levels: 2, Directories: 2, Files: 2, FileBytes: 3 << 10}, Workers: 2, Phases: phases, Seed: 1,
	}
}

// count is how many directories and files there are below a directory.
func count(t *testing.T, dir string) (directories, files int, bytes int64) {
	t.Helper()
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			directories++
		default:
			files++
			info, err := d.Info()
			if err != nil {
				return err
			}
			bytes += info.Size()
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return directories, files, bytes
}

// Every phase does what it says with all that is there, and counts it.
func TestPhases(t *testing.T) {
	o := small(t, "create", "stat", "rewrite", "read", "delete")
	measured, err := Run(o)
	if err != nil {
		t.Fatal(err)
	}
	type did struct {
		Name  string
		IOs   int64
		Bytes int64
		Reads bool
		Ended string
	}
	var got []did
	for _, p := range measured {
		got = append(got, did{p.Name, p.IOs, p.Bytes, p.Reads, p.Ended})
		if err := p.Check(); err != nil || p.Latency.Count != p.IOs || p.RuntimeNanoseconds <= 0 || p.SyncNanoseconds <= 0 ||
			p.IOPS <= 0 {
			t.Errorf("%s: %v, %+v", p.Name, err, p)
		}
	}
	const inodes, files, data = 2 * (7 + 14), 2 * 14, 2 * 14 * 3 << 10
	want := []did{{"create", inodes, data, false, ""}, {"stat", inodes, 0, false, ""}, {"rewrite", files, data, false, ""},
		{"read", files, data, true, ""}, {"delete", inodes, 0, false, ""}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if directories, left, _ := count(t, o.Directory); directories != 1 || left != 0 {
		t.Errorf("%d directories and %d files are left", directories-1, left)
	}
}

// A tree is what its shape says, and its data is random: no file is like another, and rewriting changes it.
func TestTree(t *testing.T) {
	o := small(t, "create")
	if _, err := Run(o); err != nil {
		t.Fatal(err)
	}
	if directories, files, size := count(t, o.Directory); directories != 1+2*7 || files != 2*14 || size != 2*14*3<<10 {
		t.Errorf("%d directories, %d files, %d bytes", directories, files, size)
	}
	read := func(name string) []byte {
		data, err := os.ReadFile(filepath.Join(o.Directory, name))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	first := read("w0/d1/d0/f1")
	for _, other := range []string{"w0/d1/d0/f0", "w1/d1/d0/f1"} {
		if bytes.Equal(first, read(other)) {
			t.Errorf("%s has the same data", other)
		}
	}
	again := o
	again.Phases, again.Seed = []v1alpha1.TreePhase{"rewrite"}, 2
	if _, err := Run(again); err != nil {
		t.Fatal(err)
	}
	if rewritten := read("w0/d1/d0/f1"); bytes.Equal(first, rewritten) || len(rewritten) != len(first) {
		t.Errorf("rewriting left %d bytes as they were", len(rewritten))
	}
}

// A phase whose time is over ends, and the others go on with what there is.
func TestMaxTime(t *testing.T) {
	o := small(t, "create", "stat", "delete")
	o.Shape, o.MaxTime = tree.Shape{Levels: 16, Directories: 100, Files: 3}, 50*time.Millisecond
	measured, err := Run(o)
	if err != nil {
		t.Fatal(err)
	}
	create, stat := measured[0], measured[1]
	if create.Ended != result.EndedByTime || create.IOs == 0 {
		t.Errorf("create: %+v", create)
	}
	if stat.IOs > create.IOs {
		t.Errorf("%d of %d were looked at", stat.IOs, create.IOs)
	}
}

// A file that takes longer than the time there is ends as well, and no part of it is left.
func TestMaxTimeOfALargeFile(t *testing.T) {
	o := small(t, "create", "delete")
	o.Workers, o.Shape, o.MaxTime = 1, tree.Shape{Files: 2, FileBytes: 1 << 40}, 50*time.Millisecond
	measured, err := Run(o)
	if err != nil {
		t.Fatal(err)
	}
	if create := measured[0]; create.Ended != result.EndedByTime || create.IOs != 1 || create.Bytes != 0 { // the directory
		t.Errorf("create: %+v", create)
	}
	if _, files, _ := count(t, o.Directory); files != 0 {
		t.Errorf("%d files are left", files)
	}
}

// A filesystem that is full ends the phase; nothing half-made is left for the phases after it.
func TestNoSpace(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("a small filesystem can only be mounted by root")
	}
	o := small(t, "create", "read", "delete")
	small := t.TempDir()
	if err := unix.Mount("tmpfs", small, "tmpfs", 0, "size=256k"); err != nil {
		t.Skipf("no small filesystem can be mounted here: %v", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(small, unix.MNT_DETACH) })
	o.Directory, o.Shape = filepath.Join(small, "w"),
		tree.Shape{Levels: 1, Directories: 10, Files: 100, FileBytes: 6 << 10}
	measured, err := Run(o)
	if err != nil {
		t.Fatal(err)
	}
	create, read, remove := measured[0], measured[1], measured[2]
	if create.Ended != result.EndedByNoSpace || create.IOs == 0 || read.Ended != "" || read.Bytes != create.Bytes ||
		remove.IOs != create.IOs {
		t.Errorf("create %+v\nread %+v\ndelete %+v", create, read, remove)
	}
	if directories, files, _ := count(t, o.Directory); directories != 1 || files != 0 {
		t.Errorf("%d directories and %d files are left", directories-1, files)
	}
}

func TestFailures(t *testing.T) {
	tests := map[string]struct {
		prepare func(o *Options) error
		want    error
	}{
		"it is there already": {func(o *Options) error {
			return os.MkdirAll(filepath.Join(o.Directory, "w0"), 0o700)
		}, fs.ErrExist},
		"it is not there": {func(o *Options) error { o.Phases = []v1alpha1.TreePhase{"stat"}; return nil }, fs.ErrNotExist},
		"no directory":    {func(o *Options) error { return os.WriteFile(o.Directory, nil, 0o600) }, unix.ENOTDIR},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			o := small(t, "create")
			if err := tt.prepare(&o); err != nil {
				t.Fatal(err)
			}
			if _, err := Run(o); !errors.Is(err, tt.want) {
				t.Errorf("error %v, want %v", err, tt.want)
			}
		})
	}
	o := small(t, "create", "shred")
	if _, err := Run(o); err == nil {
		t.Error("an unknown phase was run")
	}
}

// A file that is not as it was written is no measurement of reading.
func TestShortFile(t *testing.T) {
	o := small(t, "create")
	if _, err := Run(o); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(filepath.Join(o.Directory, "w1/f0"), 1); err != nil {
		t.Fatal(err)
	}
	o.Phases = []v1alpha1.TreePhase{"read"}
	if _, err := Run(o); err == nil {
		t.Error("a short file was read")
	}
}
