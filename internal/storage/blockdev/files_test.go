// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// roomy is an ext4 filesystem with this many free blocks of 4 KiB out of 1000.
func roomy(free uint64, kind int64) func(string) (unix.Statfs_t, error) {
	return func(string) (unix.Statfs_t, error) {
		return unix.Statfs_t{Type: kind, Bsize: 4096, Blocks: 1000, Bavail: free}, nil
	}
}

func TestFilesCreate(t *testing.T) {
	tests := map[string]struct {
		statfs  func(string) (unix.Statfs_t, error)
		exists  bool
		refused bool
	}{
		"ext4 with room":            {statfs: roomy(900, unix.EXT4_SUPER_MAGIC)},
		"xfs with room":             {statfs: roomy(900, unix.XFS_SUPER_MAGIC)},
		"less than an eighth stays": {statfs: roomy(130, unix.EXT4_SUPER_MAGIC), refused: true},
		"copy on write":             {statfs: roomy(900, unix.BTRFS_SUPER_MAGIC), refused: true},
		"memory":                    {statfs: roomy(900, unix.TMPFS_MAGIC), refused: true},
		"a file is there already":   {statfs: roomy(900, unix.EXT4_SUPER_MAGIC), exists: true, refused: true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			files := Files{directory: t.TempDir(), statfs: tt.statfs}
			if tt.exists {
				if err := os.WriteFile(files.Path("f0"), []byte("theirs"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			path, err := files.Create("f0", 64<<10)
			var refusal *FileError
			if tt.refused != errors.As(err, &refusal) {
				t.Fatalf("Create: %v; want refused %v", err, tt.refused)
			}
			if tt.exists {
				if content, err := os.ReadFile(files.Path("f0")); err != nil || string(content) != "theirs" {
					t.Errorf("the file that was there holds %q, %v", content, err)
				}
			}
			if tt.refused {
				return
			}
			var stat unix.Stat_t
			if err := unix.Stat(path, &stat); err != nil || stat.Size != 64<<10 || stat.Blocks*512 < stat.Size {
				t.Errorf("the file has %d bytes in %d blocks, %v; want all of 64 KiB allocated", stat.Size, stat.Blocks, err)
			}
		})
	}
}

func TestFilesRemove(t *testing.T) {
	directory := t.TempDir()
	files := NewFiles(directory)
	outside := filepath.Join(t.TempDir(), "f0")
	link := files.Path("link")
	for _, path := range []string{outside, files.Path("f0")} {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(outside, link); err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		path string
		gone bool
		fail bool
	}{
		"ours":                  {path: files.Path("f0"), gone: true},
		"gone already":          {path: files.Path("f1"), gone: true},
		"elsewhere":             {path: outside, fail: true},
		"elsewhere, by dots":    {path: directory + "/../f0", fail: true},
		"a link":                {path: link, fail: true},
		"the directory":         {path: directory, fail: true},
		"directory not created": {path: filepath.Join(directory, "none", "f0"), fail: true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			err := files.Remove(tt.path)
			var refusal *FileError
			if errors.As(err, &refusal) != tt.fail {
				t.Errorf("Remove: %v; want failure %v", err, tt.fail)
			}
			if _, err := os.Lstat(tt.path); tt.gone && !errors.Is(err, os.ErrNotExist) {
				t.Errorf("it is still there: %v", err)
			}
		})
	}
	for _, path := range []string{outside, link, directory} {
		if _, err := os.Lstat(path); err != nil {
			t.Errorf("what is not ours is gone: %v", err)
		}
	}
}
