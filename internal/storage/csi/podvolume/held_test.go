// SPDX-License-Identifier: Apache-2.0

package podvolume

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// A process that has ended has let go of what it had mounted, whoever has its number then.
func TestHeldMountIsLostWithItsProcess(t *testing.T) {
	child, err := os.StartProcess("/proc/self/exe", []string{"ends", "-test.run=^$"}, &os.ProcAttr{})
	if err != nil {
		t.Fatal(err)
	}
	h := &heldMount{podUID: "pod", process: mustPin(t, child.Pid)}
	if _, err := child.Wait(); err != nil {
		t.Fatal(err)
	}
	var lost *LostError
	if err := h.Check(); !errors.As(err, &lost) {
		t.Errorf("error %v, want %T", err, lost)
	}
	if err := (&heldMount{podUID: "pod", process: mustPin(t, os.Getpid())}).Check(); err != nil {
		t.Errorf("a process that runs: %v", err)
	}
}

// Only a block device is held.
func TestHoldNoDevice(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{file, "/dev/null", filepath.Join(t.TempDir(), "missing")} {
		if _, err := holdDevice(path, "pod", "/dev/x", mustPin(t, os.Getpid())); err == nil {
			t.Errorf("%s is held", path)
		}
	}
}

// A new filesystem has lost+found at most.
func TestCheckEmpty(t *testing.T) {
	tests := map[string]struct {
		make func(dir string) error
		want string
	}{
		"nothing":    {func(string) error { return nil }, ""},
		"lost+found": {func(dir string) error { return os.Mkdir(filepath.Join(dir, "lost+found"), 0o700) }, ""},
		"a file lost+found": {func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "lost+found"), nil, 0o600)
		}, "lost+found"},
		"a hidden file": {func(dir string) error { return os.WriteFile(filepath.Join(dir, ".x"), nil, 0o600) }, ".x"},
		"a link": {func(dir string) error {
			return os.Symlink("nowhere", filepath.Join(dir, "link"))
		}, "link"},
		"a directory beside it": {func(dir string) error { return os.MkdirAll(filepath.Join(dir, "db"), 0o700) }, "db"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := tt.make(dir); err != nil {
				t.Fatal(err)
			}
			var used *NotEmptyError
			err := (Attacher{}).CheckEmpty(dir)
			if tt.want == "" && err != nil || tt.want != "" && (!errors.As(err, &used) || used.Name != tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
	if err := (Attacher{}).CheckEmpty(filepath.Join(t.TempDir(), "missing")); err == nil {
		t.Error("a directory that cannot be read counts as empty")
	}
}
