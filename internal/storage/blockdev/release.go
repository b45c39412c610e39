// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/storage/filesystem"
	"zfsbench.io/operator/internal/storage/mdraid"
	"zfsbench.io/operator/internal/storage/zfs"
)

// The states of a label that does not contain its pool's comment.
const (
	labelSpare = 3
	labelCache = 4
)

// Release makes a disk that was recorded as owned blank again: it clears the labels in our partitions, then our
// partition table, and nothing else.
//
// It refuses if anything on the disk or in a partition is not provably the benchmark's, or if a partition is in use;
// the disk is then untouched. ErrNotOurs says in addition that nothing of ours is on it. A half-written table is still
// ours. If the table was only begun, nobody has seen a partition, so any data in the place of the partitions is older
// than the benchmark. A disk without a table is no error: nothing of ours is on it.
//
// comment is the recorded comment of the pool; empty if there was no pool. Every label that has a comment must have
// this one. The error is nil or a *Refusal.
func (g *Guard) Release(ctx context.Context, owned result.OwnedDevice, comment string) error {
	c, err := g.find(ctx, owned)
	if err != nil {
		return err
	}
	found, err := g.compareEnds(c)
	if err != nil {
		return c.refuse(StepOwnership, err)
	}
	if found == blank && !slices.ContainsFunc(c.seen, func(p *block) bool { return p != nil }) {
		return nil
	}
	if found != blank {
		for i := range c.seen {
			if found == begun && c.seen[i] == nil {
				continue // There never was a partition that anybody could have put anything into.
			}
			if err := g.checkInside(ctx, c, i, comment); err != nil {
				return c.refuse(StepOwnership, fmt.Errorf("inside partition %d of %d: %w", i+1, len(c.seen), err))
			}
		}
		if err := g.checkUnused(ctx, c); err != nil {
			return err
		}
		if step, err := g.eraseTable(ctx, c, found); err != nil {
			return c.refuse(step, err)
		}
	}
	return g.waitBlank(ctx, c)
}

// checkInside makes sure that nobody else has put anything into one of our partitions after us: it holds nothing,
// labels of our pool, or the filesystem or md array whose UUID was recorded before it was made. A filesystem whose
// creation was interrupted has that UUID or no signature yet, because its tools write both at once.
func (g *Guard) checkInside(ctx context.Context, c *ownershipProof, i int, comment string) error {
	if c.seen[i] == nil {
		return g.checkInsideUnseen(ctx, c, c.table.partitions[i])
	}
	device := "/dev/" + c.seen[i].Name
	signatures, err := g.wipefs(ctx, device)
	if err != nil {
		return err
	}
	for _, s := range signatures {
		if !c.table.partitions[i].mayHold(s, comment != "") {
			return errors.New(s.notOurs())
		}
	}
	labels, err := g.zfs.Labels(ctx, device)
	if err != nil {
		return err
	}
	return decideLabels(labels, comment)
}

// mayHold says whether a signature may be the benchmark's. Pool labels are proved separately. A filesystem on a
// mirroring array may also be visible on the array's members.
func (p partition) mayHold(s signature, hasPool bool) bool {
	return hasPool && s.Type == "zfs_member" || s.Type == raidMember && p.isArray(s.UUID) || p.mayHoldFilesystem(s)
}

// mayHoldFilesystem says whether a signature belongs to the recorded filesystem. The label of a JFS contains a part of
// the recorded UUID.
func (p partition) mayHoldFilesystem(s signature) bool {
	switch {
	case p.filesystem == "":
		return false
	case s.Type == "jfs":
		return s.Label != "" && s.Label == filesystem.JFSLabel(p.filesystem)
	}
	return strings.EqualFold(s.UUID, p.filesystem)
}

// isArray says whether the UUID of an array is the recorded one.
func (p partition) isArray(text string) bool {
	uuid, err := mdraid.ParseUUID(text)
	return err == nil && uuid == p.array
}

// checkInsideUnseen checks the place of a partition that the kernel does not show. Without a device for it, the owner
// of labels there cannot be determined, so it must be empty.
func (g *Guard) checkInsideUnseen(ctx context.Context, c *ownershipProof, p partition) error {
	tags, err := g.blkidInside(ctx, &c.disk, p.startBytes, p.sizeBytes)
	if err != nil {
		return err
	}
	if found := describe(tags, ""); len(found) > 0 {
		return fmt.Errorf("the kernel does not show it, but there is: %s", strings.Join(found, "; "))
	}
	return nil
}

// decideLabels accepts labels of our pool. Labels of spares and cache devices contain no comment; the partition table
// has to prove them.
func decideLabels(labels []zfs.Label, comment string) error {
	for _, label := range labels {
		if comment == "" {
			return fmt.Errorf("labels of pool %q, but the benchmark made no pool", label.Pool)
		}
		if label.Comment == "" && (label.State == labelSpare || label.State == labelCache) {
			continue
		}
		if label.Comment == "" || label.Comment != comment {
			return fmt.Errorf("labels of pool %q with the comment %q, which is not the benchmark's", label.Pool, label.Comment)
		}
	}
	return nil
}

// checkUnused refuses a disk that anybody uses now, itself or one of its partitions. It checks the same kinds of use as
// for a new disk.
func (g *Guard) checkUnused(ctx context.Context, c *ownershipProof) error {
	look, err := g.readHostState(ctx, poolListAge)
	if err != nil {
		return c.refuse(StepHost, fmt.Errorf("the node cannot be examined: %w", err))
	}
	g.shareOpens(look, g.opensAfter)
	return run(ctx, g.users(), look, &c.disk)
}

// eraseTable writes zeros over our labels and our table. Before that it compares once more, through the descriptor that
// writes: the table must still be the same as when the partitions were checked. Cancelling the context does not stop it
// half-way.
func (g *Guard) eraseTable(ctx context.Context, c *ownershipProof, before likeness) (failed Step, err error) {
	opened, err := g.openToWrite(ctx, &c.disk)
	if err != nil {
		return StepOpen, err
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	have, err := readEnds(opened, c.disk.SizeBytes)
	if err != nil {
		return StepOwnership, err
	}
	found, err := c.table.compare(have)
	if err != nil {
		return StepOwnership, err
	}
	if found != before {
		return StepOwnership, errors.New("somebody has changed its partition table meanwhile")
	}
	ends := c.table.zeroedEnds()
	if found == begun {
		ends = c.table.zeroedBeforeUse()
	}
	if err := writeAll(opened, ends...); err != nil {
		return StepWrite, fmt.Errorf("the labels in its partitions cannot be cleared: %w", err)
	}
	// This is done after the labels are cleared, because on a split disk probes also read where labels were. And it is
	// done before the table is erased, because as long as the table exists, a runner that died in between repeats this.
	sum, err := g.rememberResidue(opened, &c.disk)
	if err != nil {
		return StepWrite, err
	}
	if err := c.table.erase(opened); err != nil {
		return StepWrite, fmt.Errorf("it cannot be made blank: %w", err)
	}
	if err := c.table.readBack(opened, blank); err != nil {
		return StepWrite, fmt.Errorf("it is not blank after erasing: %w", err)
	}
	// This is done after the last write, because the record contains the number of writes.
	if sum == "" {
		return "", nil
	}
	return StepWrite, g.returnScan(&c.disk, c.table, sum)
}

// rememberResidue records what the benchmark leaves, and returns probes.sum. A disk that cannot be read is released
// too, with an empty sum: the next check refuses it because it cannot be read.
func (g *Guard) rememberResidue(opened device, disk *Disk) (string, error) {
	found, err := readProbes(opened, disk.SizeBytes)
	if err != nil {
		return "", nil //nolint:nilerr // the disk is bad, not the release
	}
	known, err := g.residues.read(disk)
	if err != nil {
		known = residue{} // It is written again.
	}
	return found.sum, g.residues.remember(disk, found.sum, known.Scan)
}

// waitBlank waits until everybody sees the disk as blank: the kernel, which has to forget the partitions, then udev,
// whose data lsblk shows.
func (g *Guard) waitBlank(ctx context.Context, c *ownershipProof) error {
	look := &hostState{}
	err := g.waitFor(ctx, &c.disk, func() (err error) {
		if look.tree, err = g.node.readTree(); err != nil {
			return c.refuse(StepHost, err)
		}
		return run(ctx, []step{{StepPartitions, g.checkPartitions}, {StepHolders, g.checkHolders}}, look, &c.disk)
	})
	if err != nil {
		return err
	}
	return retry(ctx, udevPatience, func() error {
		return run(ctx, []step{{StepContent, g.checkEnds}, {StepSignatures, g.checkSignatures}}, look, &c.disk)
	})
}
