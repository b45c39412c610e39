package debian

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestMissing finds programs by name and by pattern, and names the packages of those that are not there.
func TestMissing(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	for _, name := range []string{"measure", "17/bin/server"} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	missing := Missing([]Tool{
		{"measure", "one"}, {"no-such-measure", "two"}, {dir + "/*/bin/server", "three"}, {dir + "/*/bin/client", "four"},
	})
	if diff := cmp.Diff("two four", Packages(missing)); diff != "" {
		t.Errorf("packages (-want +got):\n%s", diff)
	}
}
