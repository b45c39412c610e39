// SPDX-License-Identifier: Apache-2.0

package podvolume

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// startImage plays the holder of the image of a number, and returns the program that it runs.
func startImage(t *testing.T, number string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "holder")
	from, err := os.Open("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = from.Close() }()
	to, err := os.OpenFile(program, os.O_WRONLY|os.O_CREATE, 0o700)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(to, from); err != nil {
		t.Fatal(err)
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	startHolder(t, imageVariable, t.TempDir(), program, "hold", number)
	return program
}

// TestImages: the files of an image appear read-only, without what else its container has mounted, and only those of the number.
func TestImages(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root")
	}
	images := NewImages(startImage(t, "1"), t.TempDir())
	var none *NoHolderError
	if _, err := images.Attach(0); !errors.As(err, &none) {
		t.Errorf("image 0, which nobody holds: %v, want %T", err, none)
	}
	root, err := images.Attach(1)
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENOSYS) {
		t.Skipf("mounts cannot be taken over here: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(root, 0); err != nil {
			t.Error(err)
		}
	})
	if text, err := os.ReadFile(filepath.Join(root, "file")); err != nil || string(text) != "theirs" {
		t.Errorf("read %q, %v", text, err)
	}
	if _, err := os.Stat(filepath.Join(root, "mounted", "token")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("what is mounted in the container is there: %v", err)
	}
	if err := os.WriteFile(filepath.Join(root, "new"), nil, 0o600); !errors.Is(err, unix.EROFS) {
		t.Errorf("it can be written to: %v", err)
	}
	options := mountOptions(t, root)
	for _, want := range []string{"ro", "nosuid", "nodev"} {
		if !strings.Contains(options, want) {
			t.Errorf("mounted with %s, want %s", options, want)
		}
	}
	if again, err := images.Attach(1); err != nil || again != root {
		t.Errorf("asked again: %q, %v", again, err)
	}
}

func TestImagesWithoutHolder(t *testing.T) {
	if _, err := NewImages("/nowhere/holder", t.TempDir()).Attach(0); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}
