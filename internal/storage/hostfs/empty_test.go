// SPDX-License-Identifier: Apache-2.0

package hostfs

import (
	"os"
	"path/filepath"
	"testing"
)

// What a workload may have left leads Empty nowhere else.
func TestEmpty(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	precious := filepath.Join(elsewhere, "precious")
	for _, make := range []func() error{
		func() error { return os.WriteFile(precious, []byte("data"), 0o600) },
		func() error { return os.MkdirAll(filepath.Join(dir, "a", "b"), 0o700) },
		func() error { return os.WriteFile(filepath.Join(dir, "a", "b", "c"), nil, 0o400) },
		func() error { return os.WriteFile(filepath.Join(dir, ".hidden"), nil, 0o600) },
		func() error { return os.Symlink(elsewhere, filepath.Join(dir, "link")) },
		func() error { return os.Symlink("/", filepath.Join(dir, "a", "root")) },
		func() error { return os.Mkdir(filepath.Join(dir, lostAndFound), 0o700) },
	} {
		if err := make(); err != nil {
			t.Fatal(err)
		}
	}
	n, _ := node(t, nil)
	if err := n.Empty(dir); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 || entries[0].Name() != lostAndFound {
		t.Errorf("left %v, error %v", entries, err)
	}
	if data, err := os.ReadFile(precious); err != nil || string(data) != "data" {
		t.Errorf("what is elsewhere now says %q, error %v", data, err)
	}
	if err := n.Empty(precious); err == nil {
		t.Error("a file is a directory")
	}
}

// What no disk is under cannot be trimmed, and that is no error; what is not there is one.
func TestTrimMount(t *testing.T) {
	n, _ := node(t, nil)
	if told, err := n.TrimMount("/proc"); told || err != nil {
		t.Errorf("told %t, error %v", told, err)
	}
	if _, err := n.TrimMount(filepath.Join(t.TempDir(), "nothing")); err == nil {
		t.Error("what is not there was trimmed")
	}
}
