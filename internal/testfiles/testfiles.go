// SPDX-License-Identifier: Apache-2.0

package testfiles

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files")

// Read returns a file. Its path is relative to the test's package; the parts are joined.
func Read(t testing.TB, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Compare fails the test if testdata/name differs from got, which it writes with -update.
func Compare(t testing.TB, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(Read(t, file), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}
