// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// memoryDevices is the major number of null, zero and similar character devices.
const memoryDevices = 1

// makeDevices mounts a tmpfs at path with the device nodes that a tool needs. If the target is a block device, it gets
// a new node: the host's node keeps its owner and mode.
func makeDevices(path string, target *unix.Stat_t, uid, gid int) error {
	if err := os.Mkdir(path, 0o755); err != nil {
		return err
	}
	if err := mount("tmpfs", path, "tmpfs", unix.MS_NOSUID|unix.MS_NOEXEC, "mode=0755,size=64k"); err != nil {
		return err
	}
	for minor, name := range map[uint32]string{3: "null", 5: "zero", 7: "full", 8: "random", 9: "urandom"} {
		if err := makeNode(filepath.Join(path, name), unix.S_IFCHR, unix.Mkdev(memoryDevices, minor), 0o666); err != nil {
			return err
		}
	}
	if target != nil {
		node := filepath.Join(path, filepath.Base(TargetDevice))
		if err := makeNode(node, unix.S_IFBLK, target.Rdev, 0o600); err != nil {
			return err
		}
		if err := os.Chown(node, uid, gid); err != nil {
			return err
		}
	}
	return mount("", path, "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY|unix.MS_NOSUID|unix.MS_NOEXEC, "")
}

// makeNode makes a device node with exactly this mode, whatever the umask.
func makeNode(path string, kind uint32, device uint64, mode os.FileMode) error {
	if err := unix.Mknod(path, kind|uint32(mode), int(device)); err != nil {
		return fmt.Errorf("make device node %s: %w", path, err)
	}
	return os.Chmod(path, mode)
}
