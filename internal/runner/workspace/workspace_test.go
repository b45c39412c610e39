// SPDX-License-Identifier: Apache-2.0

package workspace

import (
	"os"
	"path/filepath"
	"testing"

	"zfsbench.io/operator/internal/tools"
)

func TestNewWorkspaceRefuses(t *testing.T) {
	tests := map[string]struct{ scratch, uid string }{
		"empty UID":          {"/var/lib/x", ""},
		"UID with a path":    {"/var/lib/x", "../y"},
		"UID with a dot":     {"/var/lib/x", "a.b"},
		"relative scratch":   {"x", "uid"},
		"unclean scratch":    {"/var/../etc", "uid"},
		"root as scratch":    {"/", "uid"},
		"scratch is missing": {"", "uid"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if w, err := New(test.scratch, test.uid); err == nil {
				t.Errorf("no error but %v", w)
			}
		})
	}
}

func TestWorkspaceComesAndGoes(t *testing.T) {
	scratch := t.TempDir()
	w, err := New(scratch, "0c7c9a41-8a2e")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := w.Make(); err != nil {
			t.Fatal(err)
		}
	}
	kept := w.File("f0")
	for _, path := range []string{kept, filepath.Join(w.Journal(), "state.json"),
		filepath.Join(w.Output(), tools.ReportName)} {
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Remove(); err == nil {
		t.Error("removed although a file device is there")
	}
	if _, err := os.Stat(kept); err != nil {
		t.Errorf("the file device: %v", err)
	}
	if err := os.Remove(kept); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := w.Remove(); err != nil {
			t.Fatal(err)
		}
	}
	if entries, err := os.ReadDir(scratch); len(entries) != 0 || err != nil {
		t.Errorf("left: %v, %v", entries, err)
	}
}
