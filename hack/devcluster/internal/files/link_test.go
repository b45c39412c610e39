package files

import (
	"os"
	"path/filepath"
	"testing"
)

func TestLinkOrCopy(t *testing.T) {
	dir := t.TempDir()
	source, link := filepath.Join(dir, "source"), filepath.Join(dir, "link")
	if err := os.WriteFile(source, []byte("content"), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(source, link); err != nil {
		t.Fatal(err)
	}
	tests := map[string]func(source, target string) error{"same filesystem": LinkOrCopy, "across": copyFile}
	for name, make := range tests {
		t.Run(name, func(t *testing.T) {
			target := filepath.Join(t.TempDir(), "target")
			if err := make(link, target); err != nil {
				t.Fatal(err)
			}
			content, err := os.ReadFile(target)
			if err != nil || string(content) != "content" {
				t.Errorf("read %q, %v", content, err)
			}
			if info, err := os.Lstat(target); err != nil || info.Mode() != 0o750 {
				t.Errorf("mode %v, %v", info.Mode(), err)
			}
			if err := make(link, target); err == nil {
				t.Error("an existing file was replaced")
			}
		})
	}
}
