// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"syscall"
)

// discardPieceBytes is how much is discarded at once. The kernel cannot cancel a request, so a runner that has to stop
// waits for a whole piece. Pieces end at multiples of this size: a disk may ignore parts of its own, smaller granules.
const discardPieceBytes = 1 << 30

// discardPartitions discards all of our partitions, so that data written to them before does not affect the benchmark.
// It returns false if the disk does not support that. The mark must be on the disk before and after: it is read back.
// There is no table yet, so nobody sees the partitions while their content is undefined.
//
// After a discard the content is undefined, and some disks return different data at each read. But Release compares the
// data at the probed places later, so zeros are written there.
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
	// The kernel does not report a request that the disk did not understand, but then no longer says that the disk
	// supports discards.
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

// supportsDiscard asks the kernel whether the disk supports discards.
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

// probed are the places in our partitions that probes read, to be written with zeros.
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
