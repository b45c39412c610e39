// SPDX-License-Identifier: Apache-2.0

package baseline

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// SyncMount writes out what is in memory of the filesystem at a directory.
func (Node) SyncMount(dir string) error {
	file, err := os.Open(dir)
	if err != nil {
		return wrap("write out "+dir, err)
	}
	return wrap("write out "+dir, errors.Join(unix.Syncfs(int(file.Fd())), file.Close()))
}

// SyncDevice writes out what is in memory of a block device.
func (Node) SyncDevice(device string) error {
	return onDevice(device, "write out ", unix.Fsync)
}

// ForgetDevice writes out what is in memory of a block device and drops it.
func (Node) ForgetDevice(device string) error {
	return onDevice(device, "take out of memory what is of ", func(fd int) error {
		if err := unix.Fsync(fd); err != nil {
			return err
		}
		return unix.IoctlSetInt(fd, unix.BLKFLSBUF, 0)
	})
}

func onDevice(device, doing string, do func(fd int) error) error {
	file, err := os.OpenFile(device, os.O_RDONLY, 0)
	if err != nil {
		return wrap(doing+device, err)
	}
	return wrap(doing+device, errors.Join(do(int(file.Fd())), file.Close()))
}
