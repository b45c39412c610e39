// SPDX-License-Identifier: Apache-2.0

package baseline

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"zfsbench.io/operator/internal/result"
)

// featureBytes is how large the file is that features are tried with: some records of most filesystems, and a multiple of what direct I/O is aligned to.
const featureBytes = 256 << 10

// Features finds out what the filesystem at a directory can do, by doing it to files of its own in a new directory there, which it removes. Settle writes out what is in memory of a file before its
// blocks are shared: OpenZFS refuses that for others. An error says what is not known, and why; the rest is.
func (Node) Features(dir string, settle func() error) (result.Features, error) {
	const doing = "look for features of the filesystem at "
	own, err := os.MkdirTemp(dir, ".features-")
	if err != nil {
		return result.Features{}, wrap(doing+dir, err)
	}
	found, err := featuresIn(own, settle)
	return found, wrap(doing+dir, errors.Join(err, os.RemoveAll(own)))
}

func featuresIn(own string, settle func() error) (result.Features, error) {
	path := filepath.Join(own, "file")
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return result.Features{}, err
	}
	defer func() { _ = file.Close() }() // nothing of it is kept
	if _, err := file.Write(bytes.Repeat([]byte("features"), featureBytes/8)); err != nil {
		return result.Features{}, err
	}
	if err := errors.Join(file.Sync(), settle()); err != nil {
		return result.Features{}, err
	}
	fd := int(file.Fd())
	var found result.Features
	var unknown error
	for _, feature := range []struct {
		name  string
		found **bool
		try   func() error
	}{
		{"reflinks", &found.Reflink, func() error { return tryReflink(own, fd) }},
		{"direct I/O", &found.DirectIO, func() error { return tryDirect(path) }},
		{"files without a name", &found.TemporaryFile, func() error { return tryTemporary(own) }},
		{"extended attributes", &found.UserXattr, func() error { return tryAttribute(fd, "user.features", []byte("found")) }},
		{"access control lists", &found.PosixACL, func() error { return tryAttribute(fd, "system.posix_acl_access", otherUserReads()) }},
		{"punching holes", &found.PunchHole, func() error {
			return unix.Fallocate(fd, unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, featureBytes/4, featureBytes/2)
		}},
	} {
		known, err := answerOf(feature.try())
		if err != nil {
			unknown = errors.Join(unknown, fmt.Errorf("%s: %w", feature.name, err))
		}
		*feature.found = known
	}
	return found, unknown
}

// answerOf is what an error says of a feature; nil, and the error, if it says nothing of it.
func answerOf(err error) (*bool, error) {
	for _, no := range []error{unix.EOPNOTSUPP, unix.EINVAL, unix.ENOTTY} {
		if errors.Is(err, no) {
			return new(bool), nil
		}
	}
	if err != nil {
		return nil, err
	}
	return new(true), nil
}

// tryReflink makes a copy of a file that shares its blocks.
func tryReflink(own string, fd int) error {
	to, err := os.OpenFile(filepath.Join(own, "reflink"), os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	err = unix.IoctlFileClone(int(to.Fd()), fd)
	return errors.Join(err, to.Close())
}

// tryDirect reads a file past the page cache, into memory that is aligned as it has to be.
func tryDirect(path string) error {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_DIRECT|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	memory, err := unix.Mmap(-1, 0, featureBytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err == nil {
		_, err = unix.Pread(fd, memory, 0)
		err = errors.Join(err, unix.Munmap(memory))
	}
	return errors.Join(err, unix.Close(fd))
}

// tryTemporary makes a file that has no name and ends with its descriptor.
func tryTemporary(own string) error {
	fd, err := unix.Open(own, unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return err
	}
	return unix.Close(fd)
}

// tryAttribute sets an extended attribute of a file, and reads it again.
func tryAttribute(fd int, name string, value []byte) error {
	if err := unix.Fsetxattr(fd, name, value, 0); err != nil {
		return err
	}
	read := make([]byte, 2*len(value))
	n, err := unix.Fgetxattr(fd, name, read)
	if err == nil && !bytes.Equal(read[:n], value) {
		err = fmt.Errorf("%s is not what was set", name)
	}
	return err
}

// otherUserReads is a list that no mode can say: user 1 may read a file of another one's. It is as linux/posix_acl_xattr.h has it: a version, and entries of tag, permissions and ID.
func otherUserReads() []byte {
	const version, read, readWrite, nobody = 2, 4, 6, ^uint32(0)
	const owner, user, group, mask, other = 0x01, 0x02, 0x04, 0x10, 0x20
	list := binary.LittleEndian.AppendUint32(nil, version)
	for _, entry := range []struct {
		tag, may uint16
		id       uint32
	}{{owner, readWrite, nobody}, {user, read, 1}, {group, 0, nobody}, {mask, read, nobody}, {other, 0, nobody}} {
		list = binary.LittleEndian.AppendUint16(list, entry.tag)
		list = binary.LittleEndian.AppendUint16(list, entry.may)
		list = binary.LittleEndian.AppendUint32(list, entry.id)
	}
	return list
}
