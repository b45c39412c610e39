// SPDX-License-Identifier: Apache-2.0

package hostfs

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// lostAndFound belongs to the filesystem and stays.
const lostAndFound = "lost+found"

// Empty removes all files in a directory. It follows no links.
func (Host) Empty(dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return wrap("empty "+dir, err)
	}
	entries, err := fs.ReadDir(root.FS(), ".")
	for _, entry := range entries {
		if entry.Name() != lostAndFound {
			err = errors.Join(err, root.RemoveAll(entry.Name()))
		}
	}
	return wrap("empty "+dir, errors.Join(err, root.Close()))
}

// trimRequest is FITRIM of linux/fs.h: _IOWR('X', 121, struct fstrim_range).
const trimRequest = 3<<30 | uint(unsafe.Sizeof(trimRange{}))<<16 | 'X'<<8 | 121

// trimRange is struct fstrim_range: the start, the length, and the smallest piece that is trimmed, in bytes.
type trimRange struct{ start, length, least uint64 }

// TrimMount discards the free space of the filesystem at a directory, and returns when that is done. It returns false
// if the filesystem or the disk does not support it.
func (Host) TrimMount(dir string) (trimmed bool, err error) {
	err = onFile(dir, "trim ", func(fd int) error {
		everything := trimRange{length: math.MaxUint64}
		_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), uintptr(trimRequest), uintptr(unsafe.Pointer(&everything)))
		trimmed = errno == 0
		if trimmed || errno == unix.ENOTTY || errno == unix.EOPNOTSUPP {
			return nil
		}
		return errno
	})
	return trimmed, err
}
