// SPDX-License-Identifier: Apache-2.0

package podvolume

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Held is a volume that a pod uses, as it was when it was found.
type Held interface {
	// Check proves again that this is still the same volume, and that the same process of the pod still has it. It asks
	// only the kernel.
	Check() error
	// Close releases it.
	Close() error
}

// LostError says that the pod no longer has the volume that was found.
type LostError struct{ PodUID, Problem string }

func (e *LostError) Error() string {
	return fmt.Sprintf("pod %s no longer has the volume: %s", e.PodUID, e.Problem)
}

// heldMount is a mount. As long as this process has a copy of it, it cannot become another one.
type heldMount struct {
	podUID  string
	process process
}

// Check reads a file that a process has only until it ends; a zombie does not have it either.
func (h *heldMount) Check() error {
	if _, err := os.Readlink(h.process.path("ns/mnt")); err != nil {
		return &LostError{h.podUID, "its process has ended, so somebody has deleted or evicted the pod"}
	}
	return nil
}

func (h *heldMount) Close() error { return h.process.Close() }

// heldDevice is a block device, kept open. Until it is closed, the kernel gives its number to no other device; it never
// gives its sequence number to another one.
type heldDevice struct {
	heldMount
	file         *os.File
	path, inside string
	is           identity
}

// identity distinguishes a block device from another one that has got its name.
type identity struct {
	number    uint64
	sequence  uint64
	sizeBytes uint64
}

func holdDevice(path, podUID, inside string, p process) (*heldDevice, error) {
	file, is, err := openDevice(path)
	if err != nil {
		return nil, err
	}
	h := &heldDevice{heldMount: heldMount{podUID, p}, file: file, path: path, inside: inside, is: is}
	if err := h.Check(); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return h, nil
}

// openDevice opens a block device for reading, and does not wait for a medium.
func openDevice(path string) (*os.File, identity, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, identity{}, err
	}
	is, err := identify(file)
	if err != nil {
		return nil, identity{}, errors.Join(err, file.Close())
	}
	return file, is, nil
}

func identify(file *os.File) (identity, error) {
	var stat unix.Stat_t
	if err := unix.Fstat(int(file.Fd()), &stat); err != nil {
		return identity{}, fmt.Errorf("identify %s: %w", file.Name(), err)
	}
	if stat.Mode&unix.S_IFMT != unix.S_IFBLK {
		return identity{}, fmt.Errorf("%s is not a block device", file.Name())
	}
	is := identity{number: stat.Rdev}
	var err error
	if is.sizeBytes, err = ask(file, unix.BLKGETSIZE64); err != nil {
		return identity{}, fmt.Errorf("size of %s: %w", file.Name(), err)
	}
	// Linux before 5.15 has no sequence numbers.
	if is.sequence, err = ask(file, unix.BLKGETDISKSEQ); err != nil && !errors.Is(err, unix.ENOTTY) &&
		!errors.Is(err, unix.EINVAL) {
		return identity{}, fmt.Errorf("sequence number of %s: %w", file.Name(), err)
	}
	return is, nil
}

// ask returns a number that a driver reports.
func ask(file *os.File, what uint) (uint64, error) {
	var number uint64
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, file.Fd(), uintptr(what), uintptr(unsafe.Pointer(&number)))
	runtime.KeepAlive(&number)
	if errno != 0 {
		return 0, errno
	}
	return number, nil
}

// Check compares the open device with the device that now has its name, and with the device that the pod has.
func (h *heldDevice) Check() error {
	if err := h.heldMount.Check(); err != nil {
		return err
	}
	if is, err := identify(h.file); err != nil || is != h.is {
		return &LostError{h.podUID, fmt.Sprintf("device %s has changed since it was found (%v)", h.path, err)}
	}
	now, is, err := openDevice(h.path)
	if err != nil {
		return &LostError{h.podUID, fmt.Sprintf("device %s cannot be opened any more: %v", h.path, err)}
	}
	if err := now.Close(); err != nil || is != h.is {
		return &LostError{h.podUID, fmt.Sprintf("%s is now another device (%v)", h.path, err)}
	}
	var stat unix.Stat_t
	err = unix.Stat(filepath.Join(h.process.path("root"), h.inside), &stat)
	if err != nil || stat.Mode&unix.S_IFMT != unix.S_IFBLK || stat.Rdev != h.is.number {
		return &LostError{h.podUID, fmt.Sprintf("it no longer has device %s (%v)", h.path, err)}
	}
	return nil
}

func (h *heldDevice) Close() error { return errors.Join(h.file.Close(), h.heldMount.Close()) }
