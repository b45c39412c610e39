// SPDX-License-Identifier: Apache-2.0

package hostfs

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// The direction of an ioctl's argument, as numbered in the kernel's asm-generic/ioctl.h.
const (
	ioctlWrites = 1 << 30
	ioctlReads  = 2 << 30
)

// askedAgain is how often an ioctl that a signal has interrupted is repeated. Go sends itself signals all the time, and
// every signal ends a defragmentation on btrfs.
const askedAgain = 100

// ask makes an ioctl. letter and number identify it, way is the direction of its argument, and size the size of that.
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
