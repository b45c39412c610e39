// SPDX-License-Identifier: Apache-2.0

package zfs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zfsbench.io/operator/internal/testfiles"
)

// fixture is the output of a real tool, captured on the development cluster; the version in its name is OpenZFS's.
func fixture(t *testing.T, name string) string {
	t.Helper()
	return testfiles.Read(t, "testdata", name+"-2.3.9.txt")
}

func fixtureReader(t *testing.T, name string) *strings.Reader {
	t.Helper()
	return strings.NewReader(fixture(t, name))
}

// tree writes files below a new directory and returns it.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
