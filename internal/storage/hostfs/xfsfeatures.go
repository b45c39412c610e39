// SPDX-License-Identifier: Apache-2.0

package hostfs

import (
	"errors"
	"unsafe"

	"zfsbench.io/operator/internal/result"
)

// xfsGeometry and xfsGrow are structs xfs_fsop_geom_v1 and xfs_growfs_data of fs/xfs/libxfs/xfs_fs.h.
type (
	xfsGeometry struct {
		blockBytes, realtimeExtent, groupBlocks, groups, logBlocks, sectorBytes, inodeBytes, inodePercent uint32
		blocks, realtimeBlocks, realtimeExtents, logStart                                                 uint64
		_                                                                                                 [16]byte
		_                                                                                                 [7]uint32
	}
	xfsGrow struct {
		blocks       uint64
		inodePercent uint32
	}
)

// xfsFeatures tries the features of xfs. It has no send: xfsdump reads its files.
func xfsFeatures(w whole, found *result.Features) error {
	found.Send = new(bool)
	err := tryAll([]feature{{"quotas", &found.Quota, w.tryQuota}})
	var g xfsGeometry
	// XFS_IOC_FSGEOMETRY_V1
	if unknown := ask(w.root, ioctlReads, 'X', 100, unsafe.Sizeof(g), unsafe.Pointer(&g)); unknown != nil {
		return errors.Join(err, wrap("geometry", unknown))
	}
	found.Journal = journalIf(g.logBlocks > 0, result.JournalMetadata)
	return errors.Join(err, tryAll([]feature{
		{"growing", &found.Grow, func() error { return w.resizeXFS(g, g.blocks) }},
		{"shrinking", &found.Shrink, func() error { return w.shrinkXFS(g) }},
	}))
}

// shrinkXFS tries to remove the last allocation group, and undoes that if it worked. Some kernels can shrink by less,
// as an experimental feature.
func (w whole) shrinkXFS(g xfsGeometry) error {
	if err := w.resizeXFS(g, uint64(g.groups-1)*uint64(g.groupBlocks)); err != nil {
		return err
	}
	return w.resizeXFS(g, g.blocks)
}

// resizeXFS requests a size in blocks, and keeps the limit on inodes (XFS_IOC_FSGROWFSDATA).
func (w whole) resizeXFS(g xfsGeometry, blocks uint64) error {
	grow := xfsGrow{blocks, g.inodePercent}
	return ask(w.root, ioctlWrites, 'X', 110, unsafe.Sizeof(grow), unsafe.Pointer(&grow))
}
