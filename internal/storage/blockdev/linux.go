// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// linux opens the real thing.
type linux struct{}

// Number does not make a network filesystem refresh its data about the file, which could block for ever.
func (linux) Number(path string) (Number, error) { return special(path, unix.S_IFBLK, errNotBlock) }

// Character is Number for character devices.
func (linux) Character(path string) (Number, error) {
	return special(path, unix.S_IFCHR, errNotCharacter)
}

func special(path string, kind uint16, other error) (Number, error) {
	var stat unix.Statx_t
	if err := unix.Statx(unix.AT_FDCWD, path, unix.AT_STATX_DONT_SYNC, unix.STATX_TYPE, &stat); err != nil {
		return Number{}, &os.PathError{Op: "statx", Path: path, Err: err}
	}
	if stat.Mode&unix.S_IFMT != kind {
		return Number{}, other
	}
	return Number{Major: stat.Rdev_major, Minor: stat.Rdev_minor}, nil
}

// SharesFiles compares by kcmp(2).
func (linux) SharesFiles(pid, thread string) bool {
	const kcmpFiles = 2
	a, errA := strconv.Atoi(pid)
	b, errB := strconv.Atoi(thread)
	if errA != nil || errB != nil {
		return false
	}
	order, _, errno := unix.Syscall6(unix.SYS_KCMP, uintptr(a), uintptr(b), kcmpFiles, 0, 0, 0)
	return errno == 0 && order == 0
}

// Open opens a device for direct I/O.
func (linux) Open(path string, how mode) (device, error) {
	flags := unix.O_RDONLY
	switch how {
	case exclusive:
		flags = unix.O_RDONLY | unix.O_EXCL
	case exclusiveWrite:
		flags = unix.O_RDWR | unix.O_EXCL
	}
	// Never O_CREAT: a path that does not exist stays that way. O_NONBLOCK does not wait for a medium.
	fd, err := unix.Open(path, flags|unix.O_DIRECT|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	buffer, err := unix.Mmap(-1, 0, mebibyte, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("allocate a buffer: %w", err), unix.Close(fd))
	}
	return &blockFile{fd: fd, path: path, buffer: buffer}, nil
}

// answerPatience is how long a filesystem may take to answer: it may be a dead network filesystem.
const answerPatience = 10 * time.Second

// Loop uses LOOP_GET_STATUS64, which asks the filesystem of the loop device's file. No answer in time is an error; the
// goroutine that waits for it cannot be stopped.
func (linux) Loop(path string) (loopStatus, error) {
	return patiently(path, func() (loopStatus, error) { return askLoop(path) })
}

// patiently limits the wait for a call that may never return.
func patiently[T any](path string, ask func() (T, error)) (T, error) {
	ctx, cancel := patient(context.Background(), answerPatience)
	defer cancel()
	value, err := within(ctx, ask)
	if errors.Is(err, errNoAnswer) {
		err = fmt.Errorf("%s does not answer", path)
	}
	return value, err
}

// NumberBelow resolves a path, including absolute links, as a process with the given root directory would.
func (linux) NumberBelow(root, path string) (Number, error) {
	return patiently(path, func() (Number, error) { return numberBelow(root, path) })
}

func numberBelow(root, path string) (_ Number, err error) {
	dir, err := unix.Open(root, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return Number{}, &os.PathError{Op: "open", Path: root, Err: err}
	}
	defer func() { err = errors.Join(err, unix.Close(dir)) }()
	fd, err := openInRoot(dir, path)
	if errors.Is(err, unix.ENOSYS) {
		// Linux before 5.6 has no openat2. With the runner's own /dev, absolute links lead to the same devices.
		return linux{}.Number(filepath.Join(root, path))
	}
	if err != nil {
		return Number{}, &os.PathError{Op: "openat2", Path: path, Err: err}
	}
	defer func() { err = errors.Join(err, unix.Close(fd)) }()
	return (&blockFile{fd: fd, path: path}).Number()
}

// openInRoot tries again while a rename or a mount anywhere on the machine races with a .. in the path (openat2(2),
// EAGAIN).
func openInRoot(dir int, path string) (fd int, err error) {
	const tries = 100
	for range tries {
		fd, err = unix.Openat2(dir, path, &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_IN_ROOT})
		if !errors.Is(err, unix.EAGAIN) {
			break
		}
	}
	return fd, err
}

func askLoop(path string) (_ loopStatus, err error) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return loopStatus{}, &os.PathError{Op: "open", Path: path, Err: err}
	}
	defer func() { err = errors.Join(err, unix.Close(fd)) }()
	number, err := (&blockFile{fd: fd, path: path}).Number()
	if err != nil {
		return loopStatus{}, err
	}
	info, err := unix.IoctlLoopGetStatus64(fd)
	if err != nil {
		return loopStatus{}, &os.PathError{Op: "LOOP_GET_STATUS64", Path: path, Err: err}
	}
	return loopStatus{Number: number, Backing: loopBacking(info.Rdevice)}, nil
}

// blockFile is an open block device. Direct I/O needs aligned memory, so everything goes through one page-aligned
// buffer; it is not for concurrent use.
type blockFile struct {
	fd     int
	path   string
	buffer []byte
}

func (f *blockFile) wrap(op string, err error) error {
	if err == nil {
		return nil
	}
	return &os.PathError{Op: op, Path: f.path, Err: err}
}

// ReadAt fills p or fails. It bypasses the buffer if direct I/O can read straight into p.
func (f *blockFile) ReadAt(p []byte, offset int64) (int, error) {
	if isAligned(p) {
		n, err := unix.Pread(f.fd, p, offset)
		if err == nil && n != len(p) {
			err = io.ErrUnexpectedEOF
		}
		return max(0, n), f.wrap("read", err)
	}
	for done := 0; done < len(p); {
		part := f.buffer[:min(len(f.buffer), len(p)-done)]
		n, err := unix.Pread(f.fd, part, offset+int64(done))
		if err == nil && n != len(part) {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return done, f.wrap("read", err)
		}
		done += copy(p[done:], part)
	}
	return len(p), nil
}

// isAligned says whether memory begins and ends at a page boundary, which direct I/O accepts for sectors of any size.
func isAligned(p []byte) bool {
	const page = 4096
	return len(p) > 0 && len(p)%page == 0 && uintptr(unsafe.Pointer(&p[0]))%page == 0
}

// WriteAt writes all of p or fails.
func (f *blockFile) WriteAt(p []byte, offset int64) (int, error) {
	for done := 0; done < len(p); {
		part := f.buffer[:copy(f.buffer, p[done:])]
		n, err := unix.Pwrite(f.fd, part, offset+int64(done))
		if err == nil && n != len(part) {
			err = io.ErrShortWrite
		}
		if err != nil {
			return done, f.wrap("write", err)
		}
		done += n
	}
	return len(p), nil
}

// Number is the device that is open, whatever its path now refers to.
func (f *blockFile) Number() (Number, error) {
	var stat unix.Stat_t
	if err := unix.Fstat(f.fd, &stat); err != nil {
		return Number{}, f.wrap("stat", err)
	}
	if stat.Mode&unix.S_IFMT != unix.S_IFBLK {
		return Number{}, errNotBlock
	}
	return Number{Major: unix.Major(stat.Rdev), Minor: unix.Minor(stat.Rdev)}, nil
}

// SizeBytes asks the driver.
func (f *blockFile) SizeBytes() (int64, error) {
	var size uint64
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(f.fd), unix.BLKGETSIZE64, uintptr(unsafe.Pointer(&size)))
	runtime.KeepAlive(&size)
	if errno != 0 {
		return 0, f.wrap("BLKGETSIZE64", errno)
	}
	return int64(size), nil
}

// Sync also flushes the device's own cache.
func (f *blockFile) Sync() error { return f.wrap("sync", unix.Fsync(f.fd)) }

// Discard waits until the device has done it. No signal interrupts that.
func (f *blockFile) Discard(offset, length int64) error {
	extent := [2]uint64{uint64(offset), uint64(length)}
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(f.fd), unix.BLKDISCARD, uintptr(unsafe.Pointer(&extent)))
	runtime.KeepAlive(&extent)
	if errno != 0 {
		return f.wrap("BLKDISCARD", errno)
	}
	return nil
}

// Lock takes the advisory lock that udev and partitioning tools respect (systemd's block device locking).
func (f *blockFile) Lock() error { return f.wrap("lock", unix.Flock(f.fd, unix.LOCK_EX|unix.LOCK_NB)) }

// Reread fails while a partition is in use.
func (f *blockFile) Reread() error {
	return f.wrap("BLKRRPART", unix.IoctlSetInt(f.fd, unix.BLKRRPART, 0))
}

// Close releases the device and every claim on it. After writing, udev looks at the device again.
func (f *blockFile) Close() error {
	return errors.Join(f.wrap("unmap", unix.Munmap(f.buffer)), f.wrap("close", unix.Close(f.fd)))
}
