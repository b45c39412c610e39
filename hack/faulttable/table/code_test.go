// SPDX-License-Identifier: Apache-2.0

package table

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// repository makes one with a file of each kind.
func repository(t *testing.T) string {
	t.Helper()
	top := t.TempDir()
	run(t, top, "init", "-q")
	run(t, top, "config", "user.email", "a@example.org")
	run(t, top, "config", "user.name", "a")
	write(t, top, "go.mod", "module a")
	write(t, top, "internal/runner/engine.go", "one")
	write(t, top, "internal/runner/engine_test.go", "one")
	write(t, top, "docs/a.md", "one")
	commit(t, top)
	return top
}

func run(t *testing.T, top string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", top}, args...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func commit(t *testing.T, top string) {
	t.Helper()
	run(t, top, "add", "-A")
	run(t, top, "-c", "commit.gpgsign=false", "commit", "-q", "-m", "change")
}

func write(t *testing.T, top, name, content string) {
	t.Helper()
	file := filepath.Join(top, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestCodeOf(t *testing.T) {
	top := repository(t)
	before := codeOf(t, top)
	for name, same := range map[string]bool{
		"docs/a.md": true, "test/e2e/faults_test.go": true,
		"internal/runner/engine_test.go": true, "internal/runner/testdata/fixture.go": true,
		"internal/runner/engine.go": false, "internal/new/new.go": false, "controllers/new.go": false,
		"api/a b\nc.go": false, "go.mod": false,
	} {
		t.Run(name, func(t *testing.T) {
			write(t, top, name, "two")
			uncommitted := codeOf(t, filepath.Join(top, "docs"))
			want := ""
			if same {
				want = before.Digest
			}
			if uncommitted.Commit != before.Commit || uncommitted.Digest != want {
				t.Errorf("uncommitted: %+v, before %+v", uncommitted, before)
			}
			commit(t, top)
			after := codeOf(t, top)
			if after.Digest == "" || after.Commit == before.Commit || (after.Digest == before.Digest) != same {
				t.Errorf("committed: %+v, before %+v", after, before)
			}
			before = after
		})
	}
	run(t, top, "rm", "-q", "--cached", "internal/new/new.go")
	if code := codeOf(t, top); code.Digest != "" {
		t.Errorf("a file is no longer git's: %+v", code)
	}
}

func codeOf(t *testing.T, directory string) Code {
	t.Helper()
	code, err := CodeOf(t.Context(), directory)
	if err != nil {
		t.Fatal(err)
	}
	return code
}

func TestCodeOfNoRepository(t *testing.T) {
	if code, err := CodeOf(t.Context(), t.TempDir()); err == nil {
		t.Errorf("no repository: %+v", code)
	}
}
