// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"syscall"
)

// discardPieceBytes is how much is discarded at once. The kernel does not give up a request that it has taken, so this
// is what a runner that has to stop must wait for. Pieces end at its multiples: a disk may ignore the parts of its own,
// smaller granules.
const discardPieceBytes = 1 << 30

// discardPartitions discards all of our partitions, so that nobody inherits what was written to them before; false is a
// disk that does not support it. The mark on the disk must be ours, and is afterwards: it is read back. There is no
// table yet, so nobody sees the partitions while what they hold is undefined.
//
// What a disk holds where it was discarded is undefined, and not all read the same there twice. What Release will
// remember of it has to stay the same, so the places that probes read are written to.
func (g *Guard) discardPartitions(ctx context.Context, opened device, disk *Disk, t table) (bool, error) {
	supported, err := g.supportsDiscard(disk)
	if err != nil || !supported {
		return false, err
	}
	for _, p := range t.partitions {
		err := discardPartition(ctx, opened, p)
		if errors.Is(err, syscall.EOPNOTSUPP) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
	}
	if err := writeAll(opened, t.probed()...); err != nil {
		return false, err
	}
	if err := t.readBack(opened, begun); err != nil {
		return false, fmt.Errorf("its partition table did not survive: %w", err)
	}
	// The kernel keeps silent about a request that the disk did not understand, but no longer says then that it supports
	// them.
	return g.supportsDiscard(disk)
}

// discardPartition discards a partition piece by piece, until the context ends.
func discardPartition(ctx context.Context, opened device, p partition) error {
	end := p.startBytes + p.sizeBytes
	for at := p.startBytes; at < end; {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		next := min(end, (at/discardPieceBytes+1)*discardPieceBytes)
		if err := opened.Discard(at, next-at); err != nil {
			return fmt.Errorf("bytes %d to %d: %w; devicePreparation None does without", at, next, err)
		}
		at = next
	}
	return nil
}

// supportsDiscard asks the kernel.
func (g *Guard) supportsDiscard(disk *Disk) (bool, error) {
	most, err := g.node.read("/sys/dev/block", disk.Number.String(), "queue/discard_max_bytes")
	if err != nil || most == "" {
		return false, err
	}
	bytes, err := strconv.ParseUint(most, 10, 64)
	if err != nil {
		return false, fmt.Errorf("discard_max_bytes: %w", err)
	}
	return bytes > 0, nil
}

// probed are the places in our partitions that probes read, as zeros.
func (t table) probed() []extent {
	zeros := make([]byte, probeBytes)
	var all []extent
	for _, offset := range probeOffsets(t.sizeBytes) {
		for _, p := range t.partitions {
			if offset >= p.startBytes && offset+probeBytes <= p.startBytes+p.sizeBytes {
				all = append(all, extent{offset: offset, data: zeros})
			}
		}
	}
	return all
}
