// SPDX-License-Identifier: Apache-2.0

package hostfs

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"unsafe"

	"golang.org/x/sys/unix"

	"zfsbench.io/operator/internal/result"
)

// These constants and structs are from linux/btrfs.h.
const (
	btrfsLetter = 0x94
	// btrfsMinBytes is the smallest size to which btrfs shrinks any filesystem.
	btrfsMinBytes = 256 << 20
)

// btrfsArguments is struct btrfs_ioctl_vol_args.
type btrfsArguments struct {
	fd   int64
	name [4088]byte
}

// btrfsFeatures tries the features of btrfs. Features of snapshots and quotas are tried in a new subvolume.
func btrfsFeatures(w whole, found *result.Features) error {
	found.Journal = journalIf(!w.hasOption("notreelog"), result.JournalLogTree)
	err := tryAll([]feature{{"shrinking", &found.Shrink, w.shrinkBtrfs}})
	// The space that shrinking gave up is added again.
	if found.Shrink != nil && *found.Shrink {
		err = errors.Join(err, tryAll([]feature{{"growing", &found.Grow, func() error { return w.resizeBtrfs("1:+1M") }}}))
	}
	own, errOwn := os.Open(w.own)
	if errOwn != nil {
		return errors.Join(err, errOwn)
	}
	const name = "subvolume"
	errMade := onSubvolume(own, 14, name) // BTRFS_IOC_SUBVOL_CREATE
	if errMade == nil {
		// BTRFS_IOC_SNAP_DESTROY
		errMade = errors.Join(subvolumeFeatures(filepath.Join(w.own, name), found), onSubvolume(own, 15, name))
	}
	return errors.Join(err, errMade, own.Close())
}

// shrinkBtrfs tries to shrink the filesystem by a MiB.
func (w whole) shrinkBtrfs() error {
	var on unix.Statfs_t
	if err := unix.Fstatfs(w.root, &on); err != nil {
		return err
	}
	if have := int64(on.Blocks) * on.Bsize; have < btrfsMinBytes+2<<20 {
		return fmt.Errorf("it cannot shrink: it has %d bytes, and btrfs keeps at least %d", have, btrfsMinBytes)
	}
	return w.resizeBtrfs("1:-1M")
}

// resizeBtrfs changes the size of the only device, which is number 1 (BTRFS_IOC_RESIZE).
func (w whole) resizeBtrfs(size string) error {
	var how btrfsArguments
	copy(how.name[:], size)
	return ask(w.root, ioctlWrites, btrfsLetter, 3, unsafe.Sizeof(how), unsafe.Pointer(&how))
}

// onSubvolume creates a subvolume in a directory, or destroys it.
func onSubvolume(in *os.File, number uintptr, name string) error {
	var which btrfsArguments
	copy(which.name[:], name)
	return ask(int(in.Fd()), ioctlWrites, btrfsLetter, number, unsafe.Sizeof(which), unsafe.Pointer(&which))
}

// subvolumeFeatures tries the features that need a subvolume. The subvolume is unusable afterwards.
func subvolumeFeatures(path string, found *result.Features) error {
	file, err := newFile(filepath.Join(path, "file"))
	if err != nil {
		return err
	}
	subvolume, err := os.Open(path)
	if err != nil {
		return errors.Join(err, file.Close())
	}
	err = tryAll([]feature{
		{"quotas", &found.Quota, func() error { return tryBtrfsQuota(int(subvolume.Fd()), file) }},
		// Only a read-only subvolume can be sent, and no file in it may be open for writing.
		{"sending", &found.Send, func() error { return errors.Join(file.Close(), tryBtrfsSend(int(subvolume.Fd()))) }},
	})
	return errors.Join(err, subvolume.Close())
}

// tryBtrfsQuota turns on quotas of subvolumes, limits one subvolume, and writes beyond the limit to a file in it
// (BTRFS_IOC_QUOTA_CTL, BTRFS_IOC_QGROUP_LIMIT).
func tryBtrfsQuota(subvolume int, file *os.File) error {
	const enable, disable, mostReferenced = 1, 2, 1
	control := struct{ command, status uint64 }{command: enable}
	switchQuota := func() error {
		return ask(subvolume, ioctlReads|ioctlWrites, btrfsLetter, 40, unsafe.Sizeof(control), unsafe.Pointer(&control))
	}
	if err := switchQuota(); err != nil {
		return err
	}
	limit := struct {
		group, flags, referenced, exclusive, reservedReferenced,
		reservedExclusive uint64
	}{flags: mostReferenced, referenced: beyondQuotaBytes / 2}
	// of group 0, which is the subvolume's own
	err := ask(subvolume, ioctlReads, btrfsLetter, 43, unsafe.Sizeof(limit), unsafe.Pointer(&limit))
	if err == nil {
		err = mustNotHold(file)
	}
	control.command = disable
	return errors.Join(err, switchQuota())
}

// tryBtrfsSend makes a subvolume read-only, and sends it to memory (BTRFS_IOC_SUBVOL_SETFLAGS, BTRFS_IOC_SEND).
func tryBtrfsSend(subvolume int) error {
	readOnly := uint64(2)
	if err := ask(subvolume, ioctlWrites, btrfsLetter, 26, unsafe.Sizeof(readOnly),
		unsafe.Pointer(&readOnly)); err != nil {
		return err
	}
	to, err := unix.MemfdCreate("stream", unix.MFD_CLOEXEC)
	if err != nil {
		return err
	}
	how := struct {
		to                             int64
		sources, source, parent, flags uint64
		_                              [4]uint64
	}{to: int64(to)}
	err = ask(subvolume, ioctlWrites, btrfsLetter, 38, unsafe.Sizeof(how), unsafe.Pointer(&how))
	start := make([]byte, len("btrfs-stream"))
	if err == nil {
		_, err = unix.Pread(to, start, 0)
	}
	if err == nil && string(start) != "btrfs-stream" {
		err = errors.New("the data that was sent is not a btrfs stream")
	}
	return errors.Join(err, unix.Close(to))
}
