// SPDX-License-Identifier: Apache-2.0

package target

import (
	"os"
	"path/filepath"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// inPageCache counts the pages of a file that are in memory.
func inPageCache(t *testing.T, path string, size int) int {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	mapped, err := unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Munmap(mapped) }()
	pages := make([]byte, (size+os.Getpagesize()-1)/os.Getpagesize())
	if _, _, errno := unix.Syscall(unix.SYS_MINCORE, uintptr(unsafe.Pointer(&mapped[0])), uintptr(size),
		uintptr(unsafe.Pointer(&pages[0]))); errno != 0 {
		t.Fatal(errno)
	}
	count := 0
	for _, page := range pages {
		count += int(page & 1)
	}
	return count
}

func TestForget(t *testing.T) {
	const size = 1 << 20
	dir, err := os.MkdirTemp(".", "pagecache-") //nolint:usetesting // the directory for temporary files may be in memory
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	path := filepath.Join(dir, "file")
	if err := os.WriteFile(path, make([]byte, size), 0o600); err != nil {
		t.Fatal(err)
	}
	if inPageCache(t, path, size) == 0 {
		t.Fatal("nothing is in the page cache to begin with")
	}
	if err := forget(path); err != nil {
		t.Fatal(err)
	}
	if left := inPageCache(t, path, size); left != 0 {
		t.Errorf("%d pages are still there", left)
	}
	if err := forget(path + "x"); err == nil {
		t.Error("no error for a missing file")
	}
}
