// SPDX-License-Identifier: Apache-2.0

package hostfs

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// SyncMount writes out what is in memory of the filesystem at a directory.
func (Host) SyncMount(dir string) error {
	return onFile(dir, "write out ", unix.Syncfs)
}

// SyncDevice writes out what is in memory of a block device.
func (Host) SyncDevice(device string) error {
	return onFile(device, "write out ", unix.Fsync)
}

// ForgetDevice writes out what is in memory of a block device and drops it.
func (Host) ForgetDevice(device string) error {
	return onFile(device, "take out of memory what is of ", func(fd int) error {
		if err := unix.Fsync(fd); err != nil {
			return err
		}
		return unix.IoctlSetInt(fd, unix.BLKFLSBUF, 0)
	})
}

// onFile does something with a device or a directory that is opened for it.
func onFile(path, doing string, do func(fd int) error) error {
	file, err := os.Open(path)
	if err != nil {
		return wrap(doing+path, err)
	}
	return wrap(doing+path, errors.Join(do(int(file.Fd())), file.Close()))
}
