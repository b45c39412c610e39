// SPDX-License-Identifier: Apache-2.0

package hostfs

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"zfsbench.io/operator/internal/result"
)

const (
	// featureBytes is the size of the file with which features are tried: several records of most filesystems, and a
	// multiple of the alignment of direct I/O.
	featureBytes = 256 << 10
	// beyondQuotaBytes is how much is written where a quota allows less.
	beyondQuotaBytes = 8 * featureBytes
)

// Features finds out what the filesystem at a directory can do. It tries features on its own files in a new directory
// there, and removes that. settle writes cached data of a file to disk before its blocks are shared, because OpenZFS
// refuses to share unwritten blocks. own says that the benchmark owns the whole filesystem, which is mounted at the
// directory: only then are changes to the whole filesystem tried too, and undone. The error says which features are
// unknown, and why; the rest of the result is valid.
func (n Host) Features(dir string, own bool, settle func() error) (result.Features, error) {
	const doing = "look for features of the filesystem at "
	made, err := os.MkdirTemp(dir, ".features-")
	if err != nil {
		return result.Features{}, wrap(doing+dir, err)
	}
	found, err := featuresIn(made, settle)
	if own && found != (result.Features{}) {
		err = errors.Join(err, n.wholeFeatures(dir, made, &found))
	}
	return found, wrap(doing+dir, errors.Join(err, os.RemoveAll(made)))
}

func featuresIn(own string, settle func() error) (result.Features, error) {
	path := filepath.Join(own, "file")
	file, err := newFile(path)
	if err != nil {
		return result.Features{}, err
	}
	defer func() { _ = file.Close() }() // the file is removed
	if err := settle(); err != nil {
		return result.Features{}, err
	}
	fd := int(file.Fd())
	var found result.Features
	unknown := tryAll([]feature{
		{"reflinks", &found.Reflink, func() error { return tryReflink(own, fd) }},
		{"direct I/O", &found.DirectIO, func() error { return tryDirect(path) }},
		{"files without a name", &found.TemporaryFile, func() error { return tryTemporary(own) }},
		{"extended attributes", &found.UserXattr, func() error { return tryAttribute(fd, "user.features", []byte("found")) }},
		{"access control lists", &found.PosixACL, func() error {
			return tryAttribute(fd, "system.posix_acl_access", otherUserReads())
		}},
		{"punching holes", &found.PunchHole, func() error {
			return unix.Fallocate(fd, unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, featureBytes/4, featureBytes/2)
		}},
		{"defragmenting", &found.Defragment, func() error { return tryDefragment(own) }},
	})
	return found, unknown
}

// newFile makes a file, syncs it to disk, and leaves it open.
func newFile(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	_, err = file.Write(bytes.Repeat([]byte("features"), featureBytes/8))
	if err := errors.Join(err, file.Sync()); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// feature is something that a filesystem can or cannot do.
type feature struct {
	name  string
	found **bool
	// try returns an error that answerOf interprets.
	try func() error
}

// tryAll records which features work. The error names the features for which that is unknown.
func tryAll(features []feature) error {
	var unknown error
	for _, f := range features {
		known, err := answerOf(f.try())
		if err != nil {
			unknown = errors.Join(unknown, fmt.Errorf("%s: %w", f.name, err))
		}
		*f.found = known
	}
	return unknown
}

// answerOf says whether an error means that a feature works or not. If it means neither, it returns nil and the error.
func answerOf(err error) (*bool, error) {
	for _, no := range []error{unix.EOPNOTSUPP, unix.EINVAL, unix.ENOTTY, errNotHeld} {
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

// tryDirect reads a file with direct I/O, into aligned memory.
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

// tryTemporary makes a file without a name, which is gone when its descriptor is closed.
func tryTemporary(own string) error {
	fd, err := unix.Open(own, unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return err
	}
	return unix.Close(fd)
}

// tryAttribute sets an extended attribute of a file, and reads it back.
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

// otherUserReads is an access control list that no file mode can express: user 1 may read another user's file. Its
// format is from linux/posix_acl_xattr.h: a version, and entries of tag, permissions and ID.
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

// HoldsQuota finds out whether a quota stops a user: the user's space at a directory is limited to almost nothing, and
// HoldsQuota tries to write more. It uses a file that it removes, and checks the file's space only after settle.
func (Host) HoldsQuota(dir string, user int, settle func() error) (*bool, error) {
	const doing = "write beyond a quota at "
	file, err := os.CreateTemp(dir, ".quota-")
	if err != nil {
		return nil, wrap(doing+dir, err)
	}
	err = file.Chown(user, user)
	if err == nil {
		err = mustNotHold(file)
	}
	for range 2 {
		if errors.Is(err, errNotHeld) {
			err = cmp.Or(settle(), mustNotHold(file))
		}
	}
	held, unknown := answerOf(err)
	return held, wrap(doing+dir, errors.Join(unknown, file.Close(), os.Remove(file.Name())))
}

// errNotHeld says that more was written than a quota allows.
var errNotHeld = errors.New("more could be written than the quota allows")

// mustNotHold writes much more to a file than a quota allows, in data that cannot be compressed, and returns an error
// if the filesystem accepts it.
func mustNotHold(file *os.File) error {
	data := make([]byte, beyondQuotaBytes)
	_, _ = rand.Read(data) // it never fails
	_, err := file.WriteAt(data, featureBytes)
	if err == nil {
		err = file.Sync()
	}
	switch {
	case errors.Is(err, unix.EDQUOT):
		return nil
	case err == nil:
		return errNotHeld
	default:
		return err
	}
}
