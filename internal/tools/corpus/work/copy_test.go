// SPDX-License-Identifier: Apache-2.0

package work

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"zfsbench.io/operator/internal/result"
)

// given is somebody's tree, below the directory data of a root.
func given(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for name, content := range map[string]string{
		"data/a": "first", "data/sub/b": strings.Repeat("x", 3<<20+5), "data/sub/empty": "", "data/.hidden": "h",
		"other": "not copied",
	} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"data/sub/link": "../../../etc/passwd", "data/links/absolute": "/etc/passwd"} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(to, path); err != nil {
			t.Fatal(err)
		}
	}
	if err := unix.Mkfifo(filepath.Join(root, "data", "fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	return root
}

func copyOf(t *testing.T, root, path string) Options {
	t.Helper()
	return Options{Directory: filepath.Join(t.TempDir(), "w"), Copy: &Copy{Source: root, Path: path, LimitBytes: 4 << 20}}
}

// TestCopy: regular files and the links themselves are copied. The digest covers their names and contents.
func TestCopy(t *testing.T) {
	root := given(t)
	o := copyOf(t, root, "/data")
	measured, data, err := Run(o)
	if err != nil {
		t.Fatal(err)
	}
	const bytes = 5 + 3<<20 + 5 + 1
	if p := measured[0]; p.Check() != nil || p.Name != "write" || p.Bytes != bytes || p.IOs != 4 || p.Latency.Count != 4 {
		t.Errorf("%+v, %v", p, p.Check())
	}
	for _, link := range []struct{ name, to string }{{"sub/link", "../../../etc/passwd"},
		{"links/absolute", "/etc/passwd"}} {
		path := filepath.Join(o.Directory, link.name)
		if to, err := os.Readlink(path); err != nil || to != link.to {
			t.Errorf("%s leads to %q, %v", link.name, to, err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(filepath.Join(root, "data", link.name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(filepath.Join(root, "data", "fifo")); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(sums(t, filepath.Join(root, "data")), sums(t, o.Directory)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if data.Files != 4 || data.Bytes != bytes || !strings.HasPrefix(data.Digest, "sha256:") {
		t.Errorf("%+v", data)
	}
}

// The same tree has the same digest wherever it is; any change of a name or a byte makes another.
func TestCopyDigest(t *testing.T) {
	digest := func(change func(root string) error, path string) result.Data {
		root := given(t)
		if err := change(root); err != nil {
			t.Fatal(err)
		}
		o := copyOf(t, root, path)
		_, data, err := Run(o)
		if err != nil {
			t.Fatal(err)
		}
		return *data
	}
	nothing := func(string) error { return nil }
	same := digest(nothing, "/data")
	if again := digest(nothing, "/data"); again != same {
		t.Errorf("%+v and %+v", same, again)
	}
	if moved := digest(func(root string) error {
		if err := os.Rename(filepath.Join(root, "data"), filepath.Join(root, "moved")); err != nil {
			return err
		}
		return os.Symlink("moved", filepath.Join(root, "to"))
	}, "/to"); moved != same {
		t.Errorf("in another directory, by a link: %+v, want %+v", moved, same)
	}
	for name, change := range map[string]func(string) error{
		"a byte": func(root string) error { return os.WriteFile(filepath.Join(root, "data", "a"), []byte("fIrst"), 0o644) },
		"a name": func(root string) error {
			return os.Rename(filepath.Join(root, "data", "a"), filepath.Join(root, "data", "c"))
		},
		"a link": func(root string) error { return os.Remove(filepath.Join(root, "data", "sub", "link")) },
		"the end of a file": func(root string) error {
			return os.Truncate(filepath.Join(root, "data", "sub", "b"), 3<<20)
		},
	} {
		if other := digest(change, "/data"); other.Digest == same.Digest {
			t.Errorf("%s makes no difference", name)
		}
	}
}

func TestCopyOfAll(t *testing.T) {
	o := copyOf(t, given(t), "/")
	if _, data, err := Run(o); err != nil || data.Files != 5 {
		t.Errorf("%+v, %v", data, err)
	}
	if text, err := os.ReadFile(filepath.Join(o.Directory, "data", ".hidden")); err != nil || string(text) != "h" {
		t.Errorf("%q, %v", text, err)
	}
}

func TestCopyFails(t *testing.T) {
	tests := map[string]struct {
		change func(t *testing.T, root string, c *Copy)
		want   string
	}{
		"too large": {func(_ *testing.T, _ string, c *Copy) {
			c.LimitBytes = 3 << 20
		}, "they hold more than 3145728 bytes"},
		"no such path": {func(_ *testing.T, _ string, c *Copy) { c.Path = "/nowhere" }, "list the files of /nowhere"},
		"a file":       {func(_ *testing.T, _ string, c *Copy) { c.Path = "/other" }, "it is not a directory"},
		"nothing to copy": {func(_ *testing.T, _ string, c *Copy) {
			c.Path = "/data/links"
		}, "there are no files in /data/links"},
		"a link out of it": {func(_ *testing.T, _ string, c *Copy) { c.Path = "/data/links/absolute" }, "escapes"},
		"above it":         {func(_ *testing.T, _ string, c *Copy) { c.Path = "/../../etc" }, "list the files of"},
		"no such source":   {func(_ *testing.T, _ string, c *Copy) { c.Source = "/nowhere" }, "open the source"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			root := given(t)
			o := copyOf(t, root, "/data")
			tt.change(t, root, o.Copy)
			if _, _, err := Run(o); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
			if _, err := os.Stat(o.Directory); err == nil {
				t.Error("the directory was made")
			}
		})
	}
}

// A volume has a directory that is the filesystem's own, and is open to root only.
func TestCopyWithoutLostAndFound(t *testing.T) {
	root := given(t)
	for _, dir := range []string{"lost+found", "data/lost+found"} {
		if err := os.Mkdir(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, dir, "f"), []byte("f"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	o := copyOf(t, root, "/")
	if _, data, err := Run(o); err != nil || data.Files != 6 {
		t.Errorf("%+v, %v", data, err)
	}
	if _, err := os.Stat(filepath.Join(o.Directory, "lost+found")); !os.IsNotExist(err) {
		t.Errorf("the root's lost+found was copied: %v", err)
	}
	if _, err := os.Stat(filepath.Join(o.Directory, "data", "lost+found", "f")); err != nil {
		t.Errorf("somebody's own was not: %v", err)
	}
}

// Whoever else has the volume may change it meanwhile. What is no file any more is not read: of a pipe, that would
// never end.
func TestCopyOfWhatChanges(t *testing.T) {
	tests := map[string]struct {
		change func(path string) error
		want   string
	}{
		"a pipe":      {func(path string) error { return unix.Mkfifo(path, 0o644) }, "data/a is no longer a regular file"},
		"a directory": {func(path string) error { return os.Mkdir(path, 0o755) }, "data/a is no longer a regular file"},
		"a link out":  {func(path string) error { return os.Symlink("/etc/passwd", path) }, "escapes"},
		"nothing":     {func(string) error { return nil }, "no such file"},
		"a shorter file": {func(path string) error {
			return os.WriteFile(path, []byte("1"), 0o644)
		}, "read data/a: unexpected EOF"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			root := given(t)
			c, err := Copy{Source: root, Path: "/data", LimitBytes: 4 << 20}.list("/nowhere")
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(root, "data", "a")
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			if err := tt.change(path); err != nil {
				t.Fatal(err)
			}
			err = c.fill(file{from: "data/a", bytes: 5}, func(n int64) ([]byte, bool) {
				return make([]byte, n), true
			}, func([]byte) bool { return true })
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}
