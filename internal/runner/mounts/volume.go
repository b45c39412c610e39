// SPDX-License-Identifier: Apache-2.0

package mounts

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	// volumeNameRequest is BLKZNAME of OpenZFS's sys/fs/zfs.h: _IOR(0x12, 125, char[256]).
	volumeNameRequest = 2<<30 | volumeNameBytes<<16 | 0x12<<8 | 125
	volumeNameBytes   = 256
)

// VolumeName asks the kernel module which volume a block device is. Links in /dev/zvol change with a delay: after an
// import, one may briefly lead to a device that is another volume now.
func (Kernel) VolumeName(device string) (string, error) {
	f, err := os.Open(device)
	if err != nil {
		return "", fmt.Errorf("ask which volume %s is: %w", device, err)
	}
	var name [volumeNameBytes]byte
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, f.Fd(), volumeNameRequest, uintptr(unsafe.Pointer(&name[0])))
	if errno != 0 {
		return "", errors.Join(fmt.Errorf("ask which volume %s is: %w", device, errno), f.Close())
	}
	text, _, _ := bytes.Cut(name[:], []byte{0})
	return string(text), f.Close()
}
