// SPDX-License-Identifier: Apache-2.0

package hostfs

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// Which way an ioctl's argument goes, as the kernel's asm-generic/ioctl.h numbers it.
const (
	ioctlWrites = 1 << 30
	ioctlReads  = 2 << 30
)

// askedAgain is how often an ioctl is tried again that a signal has ended: Go sends itself some all the time, and btrfs
// gives up defragmenting for any.
const askedAgain = 100

// ask is an ioctl: its number, of the way that its argument goes, the letter of those who have it, the number that it
// has there, and the size of the argument, which is put at a pointer.
func ask(fd int, way, letter, number, size uintptr, argument unsafe.Pointer) error {
	for tried := 0; ; tried++ {
		_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), way|size<<16|letter<<8|number, uintptr(argument))
		switch {
		case errno == 0:
			return nil
		case errno != unix.EINTR && errno != unix.EAGAIN || tried == askedAgain:
			return errno
		}
	}
}
