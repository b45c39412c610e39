// SPDX-License-Identifier: Apache-2.0

package hostfs

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"

	"zfsbench.io/operator/internal/result"
)

// extFeatures tries the features of ext2, ext3 and ext4. They have no send: dump(8) reads their device.
func (n Host) extFeatures(w whole, found *result.Features) error {
	journal, err := n.hasExtJournal(w.mount.Device)
	if err == nil {
		found.Journal = journalIf(journal, result.JournalMetadata)
	}
	found.Send = new(bool)
	return errors.Join(wrap("journal", err), tryAll([]feature{
		{"quotas", &found.Quota, w.tryQuota},
		{"growing", &found.Grow, func() error { return w.resizeExt(0) }},
		{"shrinking", &found.Shrink, w.shrinkExt},
	}))
}

// hasExtJournal says whether the kernel has the journal of the filesystem on a device (MAJOR:MINOR) open: /proc/fs/jbd2
// has an entry NAME-INODE for each open journal.
func (n Host) hasExtJournal(device string) (bool, error) {
	link, err := os.Readlink(filepath.Join(n.sys, "dev", "block", device))
	if err != nil {
		return false, err
	}
	open, err := os.ReadDir(n.path("fs", "jbd2"))
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(open, func(journal os.DirEntry) bool {
		return strings.HasPrefix(journal.Name(), filepath.Base(link)+"-")
	}), nil
}

// shrinkExt tries to shrink by one block, and undoes that if it worked.
func (w whole) shrinkExt() error {
	if err := w.resizeExt(1); err != nil {
		return err
	}
	return w.resizeExt(-1)
}

// resizeExt requests the filesystem's current size, less some blocks (EXT4_IOC_RESIZE_FS of fs/ext4/ext4.h).
func (w whole) resizeExt(less int64) error {
	blocks, err := extBlocks(w.mount.Source)
	if err != nil {
		return err
	}
	blocks -= uint64(less)
	return ask(w.root, ioctlWrites, 'f', 16, unsafe.Sizeof(blocks), unsafe.Pointer(&blocks))
}

// extBlocks is the filesystem's number of blocks, according to the superblock on a device (fs/ext4/ext4.h, struct
// ext4_super_block).
func extBlocks(device string) (uint64, error) {
	file, err := os.Open(device)
	if err != nil {
		return 0, err
	}
	super := make([]byte, 1024)
	_, err = file.ReadAt(super, 1024)
	if err := errors.Join(err, file.Close()); err != nil {
		return 0, err
	}
	if binary.LittleEndian.Uint16(super[0x38:]) != unix.EXT4_SUPER_MAGIC {
		return 0, errors.New("there is no superblock on " + device)
	}
	blocks := uint64(binary.LittleEndian.Uint32(super[0x4:]))
	const with64Bits = 0x80
	if binary.LittleEndian.Uint32(super[0x60:])&with64Bits != 0 {
		blocks |= uint64(binary.LittleEndian.Uint32(super[0x150:])) << 32
	}
	return blocks, nil
}
