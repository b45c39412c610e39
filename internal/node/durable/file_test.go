// SPDX-License-Identifier: Apache-2.0

package durable

import (
	"os"
	"path/filepath"
	"testing"
)

func TestWriteFileLeavesNoTemporaryFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	for _, text := range []string{"one", "two"} {
		if err := WriteFile(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "d"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(filepath.Join(dir, "d"), nil); err == nil {
		t.Error("replaced a directory")
	}
	got, err := os.ReadFile(path)
	entries, errDir := os.ReadDir(dir)
	if string(got) != "two" || len(entries) != 2 || err != nil || errDir != nil {
		t.Errorf("content %q, entries %v, errors %v %v", got, entries, err, errDir)
	}
}
