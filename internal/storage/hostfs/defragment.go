// SPDX-License-Identifier: Apache-2.0

package hostfs

import (
	"errors"
	"path/filepath"
	"unsafe"

	"golang.org/x/sys/unix"
)

// tryDefragment moves a file's blocks in one of the ways that e4defrag, xfs_fsr and `btrfs filesystem defragment` use.
func tryDefragment(own string) error {
	var on unix.Statfs_t
	if err := unix.Statfs(own, &on); err != nil {
		return err
	}
	if on.Type == unix.F2FS_SUPER_MAGIC {
		return errors.New("f2fs has its own way, which is not tried")
	}
	file, err := newFile(filepath.Join(own, "scattered"))
	if err != nil {
		return err
	}
	donor, err := newFile(filepath.Join(own, "donor"))
	if err == nil {
		// On ext4, cached pages of the files would prevent the move.
		err = errors.Join(unix.Fadvise(int(file.Fd()), 0, 0, unix.FADV_DONTNEED),
			unix.Fadvise(int(donor.Fd()), 0, 0, unix.FADV_DONTNEED))
	}
	if err == nil {
		err = defragment(int(file.Fd()), int(donor.Fd()), uint64(on.Bsize))
		err = errors.Join(err, donor.Close())
	}
	return errors.Join(err, file.Close())
}

// defragment returns nil if one of the ways works, else EOPNOTSUPP; but if any way fails with an error that is not a
// clear no, it returns that error.
func defragment(file, donor int, blockBytes uint64) error {
	var unknown error
	for _, way := range []func() error{
		func() error { return moveExtents(file, donor, blockBytes) },
		func() error { return swapExtents(file, donor) },
		func() error { return moveOnBtrfs(file) },
	} {
		err := way()
		if err == nil {
			return nil
		}
		_, unanswered := answerOf(err)
		unknown = errors.Join(unknown, unanswered)
	}
	if unknown != nil {
		return unknown
	}
	return unix.EOPNOTSUPP
}

// moveExtent is struct move_extent of fs/ext4/ext4.h.
type moveExtent struct {
	_, donor                     uint32
	from, donorFrom, count, done uint64
}

// moveExtents moves a file on ext4 to the blocks of another file (EXT4_IOC_MOVE_EXT).
func moveExtents(file, donor int, blockBytes uint64) error {
	move := moveExtent{donor: uint32(donor), count: featureBytes / blockBytes}
	err := ask(file, ioctlReads|ioctlWrites, 'f', 15, unsafe.Sizeof(move), unsafe.Pointer(&move))
	if err == nil && move.done == 0 {
		err = errors.New("no block was moved")
	}
	return err
}

// bulkRequest, bulkState and swapExtent are structs xfs_fsop_bulkreq, xfs_bstat (of which only the size matters here)
// and xfs_swapext of fs/xfs/libxfs/xfs_fs.h.
type (
	bulkRequest struct {
		inode *uint64
		count int32
		state *bulkState
		given *int32
	}
	bulkState  [17]uint64
	swapExtent struct {
		version, file, donor, from, bytes int64
		_                                 [2]uint64
		state                             bulkState
	}
)

// swapExtents exchanges the blocks of two files of the same size on xfs. XFS_IOC_SWAPEXT needs the state of the file,
// from XFS_IOC_FSBULKSTAT_SINGLE.
func swapExtents(file, donor int) error {
	var stat unix.Stat_t
	if err := unix.Fstat(file, &stat); err != nil {
		return err
	}
	given := int32(0)
	swap := swapExtent{file: int64(file), donor: int64(donor), bytes: featureBytes}
	about := bulkRequest{inode: &stat.Ino, count: 1, state: &swap.state, given: &given}
	if err := ask(file, ioctlReads|ioctlWrites, 'X', 102, unsafe.Sizeof(about), unsafe.Pointer(&about)); err != nil {
		return err
	}
	return ask(file, ioctlReads|ioctlWrites, 'X', 109, unsafe.Sizeof(swap), unsafe.Pointer(&swap))
}

// moveOnBtrfs makes btrfs write the extents of a file again (BTRFS_IOC_DEFRAG).
func moveOnBtrfs(file int) error {
	var nothing btrfsArguments
	return ask(file, ioctlWrites, btrfsLetter, 2, unsafe.Sizeof(nothing), unsafe.Pointer(&nothing))
}
