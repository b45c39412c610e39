// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"errors"
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"
)

// loopMajor is the major number of all loop devices (LOOP_MAJOR).
const loopMajor = 7

// loopStatus is what a loop device reports about itself.
type loopStatus struct {
	// Number is the loop device's own number.
	Number Number
	// Backing is the block device behind the loop device, zero for a file.
	Backing Number
}

// loopBacking decodes lo_rdevice of LOOP_GET_STATUS64: the st_rdev of the file or device behind the loop device, so 0
// for a regular file. It is encoded with huge_encode_dev, which arranges the bits like the C library. lo_device is not
// used: it is only the filesystem that contains the file or node.
func loopBacking(rdevice uint64) Number {
	return Number{Major: unix.Major(rdevice), Minor: unix.Minor(rdevice)}
}

// readLoops asks every loop device what is behind it. The path in sysfs does not tell: it belongs to the mount
// namespace in which the device was made, and the node there may have been made by hand.
func (n machine) readLoops(all tree) error {
	for number, b := range all {
		if number.Major != loopMajor || b.Disk != "" {
			continue
		}
		status, err := n.Loop(n.path("/dev", b.Name))
		if err := checkLoop(all, b, status, err); err != nil {
			return fmt.Errorf("/dev/%s, a loop device, may be made of any disk: %w", b.Name, err)
		}
		b.Backing = status.Backing
		all[number] = b
	}
	return nil
}

// checkLoop requires an answer that says for certain which block device is behind a loop device, or that there is none.
func checkLoop(all tree, b block, status loopStatus, err error) error {
	// Without a node in /dev the device cannot be asked; but a loop device that is not bound has no backing file in
	// sysfs.
	if errors.Is(err, syscall.ENXIO) || missing(err) && b.BackingFile == "" {
		return nil
	}
	if err != nil {
		return err
	}
	if status.Number != b.Number {
		return fmt.Errorf("its node in /dev has the number %s instead of %s", status.Number, b.Number)
	}
	if _, known := all[status.Backing]; !known && status.Backing != (Number{}) {
		return fmt.Errorf("it is made of %s, which the kernel does not list", status.Backing)
	}
	return nil
}
