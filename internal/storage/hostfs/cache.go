// SPDX-License-Identifier: Apache-2.0

package hostfs

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// SyncMount writes cached data of the filesystem at a directory to its device.
func (Host) SyncMount(dir string) error {
	return onFile(dir, "write out ", unix.Syncfs)
}

// SyncDevice writes cached data of a block device to it.
func (Host) SyncDevice(device string) error {
	return onFile(device, "write out ", unix.Fsync)
}

// ForgetDevice writes cached data of a block device to it, and drops the cache.
func (Host) ForgetDevice(device string) error {
	return onFile(device, "drop the cache of ", func(fd int) error {
		if err := unix.Fsync(fd); err != nil {
			return err
		}
		return unix.IoctlSetInt(fd, unix.BLKFLSBUF, 0)
	})
}

// onFile opens a device or a directory and does something with it.
func onFile(path, doing string, do func(fd int) error) error {
	file, err := os.Open(path)
	if err != nil {
		return wrap(doing+path, err)
	}
	return wrap(doing+path, errors.Join(do(int(file.Fd())), file.Close()))
}
