// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// zfsMagic is a filesystem's magic number, see statfs(2), that package unix does not have.
const zfsMagic = 0x2fc12fc1

// Filesystem is the filesystem of a directory.
type Filesystem struct {
	// Kind is its name, or its magic number in hexadecimal.
	Kind string
	// FreeBytes is what a privileged process may still write.
	FreeBytes int64
}

// StatFilesystem reads it from the kernel.
func StatFilesystem(dir string) (Filesystem, error) {
	var stat unix.Statfs_t
	if err := unix.Statfs(dir, &stat); err != nil {
		return Filesystem{}, fmt.Errorf("look at the filesystem of %s: %w", dir, err)
	}
	return Filesystem{Kind: filesystemKind(stat.Type), FreeBytes: int64(stat.Bfree) * stat.Bsize}, nil
}

func filesystemKind(magic int64) string {
	kinds := map[int64]string{
		unix.EXT4_SUPER_MAGIC: "ext4", unix.XFS_SUPER_MAGIC: "xfs", unix.BTRFS_SUPER_MAGIC: "btrfs",
		unix.TMPFS_MAGIC: "tmpfs",
		unix.RAMFS_MAGIC: "ramfs", unix.OVERLAYFS_SUPER_MAGIC: "overlay", unix.NFS_SUPER_MAGIC: "nfs", zfsMagic: "zfs",
		unix.F2FS_SUPER_MAGIC: "f2fs",
	}
	if kind := kinds[magic]; kind != "" {
		return kind
	}
	return fmt.Sprintf("%#x", magic)
}

// keepsFiles says whether files on it survive a reboot, as the journal must.
func (f Filesystem) keepsFiles() bool {
	switch f.Kind {
	case "tmpfs", "ramfs", "overlay":
		return false
	}
	return true
}
