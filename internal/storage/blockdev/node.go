// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"zfsbench.io/operator/internal/text/lines"
)

// Number is a block device's major and minor number.
type Number struct{ Major, Minor uint32 }

func (n Number) String() string { return fmt.Sprintf("%d:%d", n.Major, n.Minor) }

// parseNumber reads MAJOR:MINOR.
func parseNumber(text string) (Number, error) {
	var n Number
	if _, err := fmt.Sscanf(text, "%d:%d", &n.Major, &n.Minor); err != nil || n.String() != text {
		return Number{}, fmt.Errorf("%q is not a device number", text)
	}
	return n, nil
}

// These errors say that a file is of another kind.
var (
	errNotBlock     = errors.New("it is not a block device")
	errNotCharacter = errors.New("it is not a character device")
)

// mode is how a device is opened.
type mode int

const (
	// shared reads while others may use the device.
	shared mode = iota
	// exclusive reads, and fails if the kernel has given the disk or a partition of it to anybody.
	exclusive
	// exclusiveWrite is exclusive and may write.
	exclusiveWrite
)

// device is an open block device. Offsets and lengths are multiples of its sector size. Reads and writes bypass the
// page cache, so that they see and change what is on the device.
type device interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	Number() (Number, error)
	SizeBytes() (int64, error)
	// Sync waits until everything written is on the medium.
	Sync() error
	// Lock keeps udev and partitioning tools away until Close; it fails if one of them works on the device.
	Lock() error
	// Discard marks a range as free: its content is undefined afterwards. The error is EOPNOTSUPP if the device does
	// not support it.
	Discard(offset, length int64) error
	// SCSI sends a command that only reads; errNotSCSI if the device does not accept SCSI commands.
	SCSI(command []byte) (scsiAnswer, error)
	// Reread makes the kernel read the partition table again.
	Reread() error
}

// devices opens block devices; the only implementation outside tests is linux.
type devices interface {
	// Number follows links; errNotBlock if it is another kind of file.
	Number(path string) (Number, error)
	// Character is the number of a character device; it follows links.
	Character(path string) (Number, error)
	// NumberBelow is Number for a path below another root directory; links cannot leave that.
	NumberBelow(root, path string) (Number, error)
	Open(path string, how mode) (device, error)
	// Loop asks the loop device at a path what is behind it; ENXIO if nothing is.
	Loop(path string) (loopStatus, error)
	// SharesFiles says that a thread has the same descriptors as its process; false if that is not known.
	SharesFiles(pid, thread string) bool
}

// machine is the host as its files show it. root is put before every path.
type machine struct {
	root string
	devices
}

func (n machine) path(elements ...string) string {
	return filepath.Join(append([]string{n.root}, elements...)...)
}

// maxAttributeBytes limits a file of sysfs or procfs that holds one value; the kernel gives it one page.
const maxAttributeBytes = 64 << 10

// read returns a file that holds one value, without surrounding white space. It returns an empty value if the file does
// not exist.
func (n machine) read(elements ...string) (string, error) {
	content, err := readBounded(n.path(elements...))
	if missing(err) {
		return "", nil
	}
	return strings.TrimSpace(content), err
}

// readBounded reads a file of at most maxAttributeBytes.
func readBounded(path string) (_ string, err error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	content, err := io.ReadAll(io.LimitReader(file, maxAttributeBytes+1))
	if err == nil && len(content) > maxAttributeBytes {
		err = fmt.Errorf("%s: %w", path, &lines.LimitError{What: "text", LimitBytes: maxAttributeBytes})
	}
	return string(content), err
}

// list returns the names in a directory, or none if it does not exist.
func (n machine) list(elements ...string) ([]string, error) {
	entries, err := os.ReadDir(n.path(elements...))
	if missing(err) {
		return nil, nil
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names, err
}

// resolve follows all links of a path below root, and returns the target without root.
func (n machine) resolve(path string) (string, error) {
	target, err := filepath.EvalSymlinks(n.path(path))
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(n.root, target)
	return "/" + rel, err
}

// missing says whether a file, or the process or device behind it, does not exist.
func missing(err error) bool {
	for _, gone := range []error{fs.ErrNotExist, syscall.ENOTDIR, syscall.ESRCH, syscall.ENODEV, syscall.ENXIO} {
		if errors.Is(err, gone) {
			return true
		}
	}
	return false
}
