// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"errors"
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"
)

// loopMajor is the number of all loop devices (LOOP_MAJOR).
const loopMajor = 7

// loopStatus is what a loop device says of itself.
type loopStatus struct {
	// Number is its own.
	Number Number
	// Backing is the block device that it is made of, zero for a file.
	Backing Number
}

// loopBacking decodes lo_rdevice of LOOP_GET_STATUS64: the st_rdev of what is behind the loop device
// (huge_encode_dev, which has the bits where the C library has them), so 0 for a file. lo_device is only the
// filesystem on which file or node lie.
func loopBacking(rdevice uint64) Number {
	return Number{Major: unix.Major(rdevice), Minor: unix.Minor(rdevice)}
}

// readLoops asks every loop device what it is made of. The path in sysfs does not say: it is one of the mount
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

// checkLoop wants an answer that says for certain which block device is behind a loop device, or that there is none.
func checkLoop(all tree, b block, status loopStatus, err error) error {
	// Without a node in /dev nobody can ask; one that is not bound has no backing file in sysfs.
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
