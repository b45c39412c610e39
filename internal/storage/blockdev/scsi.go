// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"errors"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	sgIO            = 0x2285
	sgFromDevice    = -3
	sgTimeoutMillis = 20_000
)

// sgHeader is the kernel's struct sg_io_hdr (include/scsi/sg.h), version 3.
type sgHeader struct {
	interfaceID  int32
	direction    int32
	commandBytes uint8
	senseBytes   uint8
	vectors      uint16
	dataBytes    uint32
	data         unsafe.Pointer
	command      unsafe.Pointer
	sense        unsafe.Pointer
	timeout      uint32
	flags        uint32
	packID       int32
	user         unsafe.Pointer
	status       uint8
	maskedStatus uint8
	message      uint8
	senseWritten uint8
	host         uint16
	driver       uint16
	left         int32
	milliseconds uint32
	info         uint32
}

// SCSI sends a command that reads at most scsiAnswerBytes.
func (f *blockFile) SCSI(command []byte) (scsiAnswer, error) {
	data, sense := make([]byte, scsiAnswerBytes), make([]byte, 64)
	var pinned runtime.Pinner
	defer pinned.Unpin()
	for _, buffer := range [][]byte{command, data, sense} {
		pinned.Pin(&buffer[0])
	}
	header := sgHeader{
		interfaceID: 'S', direction: sgFromDevice, commandBytes: uint8(len(command)), senseBytes: uint8(len(sense)),
		dataBytes: uint32(len(data)), timeout: sgTimeoutMillis,
		data: unsafe.Pointer(&data[0]), command: unsafe.Pointer(&command[0]), sense: unsafe.Pointer(&sense[0]),
	}
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(f.fd), sgIO, uintptr(unsafe.Pointer(&header)))
	runtime.KeepAlive(&header)
	if errors.Is(errno, unix.ENOTTY) || errors.Is(errno, unix.EINVAL) || errors.Is(errno, unix.EOPNOTSUPP) {
		return scsiAnswer{}, errNotSCSI
	}
	if errno != 0 {
		return scsiAnswer{}, f.wrap("SG_IO", errno)
	}
	read := len(data) - min(max(int(header.left), 0), len(data))
	driver := header.driver
	if header.senseWritten > 0 {
		driver &^= 0x08 // DRIVER_SENSE: there is sense data
	}
	sense = sense[:min(int(header.senseWritten), len(sense))]
	return scsiAnswer{header.status, header.host, driver, sense, data[:read]}, nil
}
