// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"zfsbench.io/operator/internal/result"
)

// byPartUUID is where udev links partitions by their GUID.
const byPartUUID = "/dev/disk/by-partuuid/"

// Partitioned is a disk that Partition has partitioned for the benchmark.
type Partitioned struct {
	// Paths are the stable paths of the partitions, in their order on the disk.
	Paths []string
	// Discarded says that all partitions were discarded. If that was requested and Discarded is false, the disk does
	// not support it.
	Discarded bool
}

// Partition checks again a disk that Check accepted, writes the recorded partition table, discards the partitions if
// that is requested and the disk supports it, and returns when the kernel and udev show them. It checks the ends of the
// disk once more through the descriptor that it writes with, which excludes everybody else. From the first written byte
// on, Prove and Release recognise the recorded table. Both ends of each partition are zeros on the medium before
// anybody can see the partition.
func (g *Guard) Partition(ctx context.Context, disk Disk, owned result.OwnedDevice, discard bool) (Partitioned, error) {
	refuse := func(step Step, err error) (Partitioned, error) {
		return Partitioned{}, &Refusal{Device: disk.Name, Path: disk.Path, Step: step, Cause: err}
	}
	t, err := newTable(&disk, owned)
	if err != nil {
		return refuse(StepOwnership, err)
	}
	look, err := g.readHostState(ctx, poolListAge)
	if err == nil {
		g.shareOpens(look, g.opensBefore)
	}
	now := g.checkAll(ctx, []Want{disk.Want}, look, err)[0]
	if now.Refusal != nil {
		return Partitioned{}, now.Refusal
	}
	if now.Disk != disk {
		return refuse(StepPath, fmt.Errorf("it is a different disk than before: %s was %s", now.Disk.Device, disk.Device))
	}
	if err := context.Cause(ctx); err != nil {
		return refuse(StepWrite, err)
	}
	discarded, step, err := g.prepare(ctx, &disk, t, discard)
	if err != nil {
		return refuse(step, err)
	}
	if err := g.waitFor(ctx, &disk, func() error { return g.checkLinks(&disk, t) }); err != nil {
		return refuse(StepWrite, fmt.Errorf("its partitions do not appear: %w", err))
	}
	made := Partitioned{Discarded: discarded}
	for _, p := range t.partitions {
		made.Paths = append(made.Paths, p.path())
	}
	return made, nil
}

// path is the partition's stable path.
func (p partition) path() string { return byPartUUID + p.guid.String() }

// prepare makes all changes to the disk through one descriptor, which keeps udev and everybody else away until it is
// closed. The table is read only after that.
func (g *Guard) prepare(
	ctx context.Context, disk *Disk, t table, discard bool,
) (discarded bool, failed Step, err error) {
	opened, err := g.openToWrite(ctx, disk)
	if err != nil {
		return false, StepOpen, err
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	if err := blankEnds(opened, disk); err != nil {
		return false, StepContent, err
	}
	if err := g.takeScan(disk, t); err != nil {
		return false, StepContent, err
	}
	if err := beginTable(opened, t); err != nil {
		return false, StepWrite, err
	}
	if discard {
		if discarded, err = g.discardPartitions(ctx, opened, disk, t); err != nil {
			return false, StepWrite, fmt.Errorf("its partitions cannot be discarded: %w", err)
		}
	}
	return discarded, StepWrite, publishTable(opened, t)
}

// beginTable writes the mark, which makes a disk whose ends are blank provably ours.
func beginTable(opened device, t table) error {
	if err := t.writeMark(opened); err != nil {
		return fmt.Errorf("its partition table cannot be written: %w", err)
	}
	if err := t.readBack(opened, begun); err != nil {
		return fmt.Errorf("its partition table was not written: %w", err)
	}
	return nil
}

// publishTable zeroes the ends of the partitions and completes the table. The data there is from an earlier benchmark,
// or the policy lets it be overwritten. Seen through a new partition it could look like a filesystem or a member of LVM
// or md.
func publishTable(opened device, t table) error {
	if err := writeAll(opened, t.zeroedEnds()...); err != nil {
		return fmt.Errorf("the ends of its partitions cannot be zeroed: %w", err)
	}
	if err := t.writeTable(opened); err != nil {
		return fmt.Errorf("its partition table cannot be written: %w", err)
	}
	if err := t.readBack(opened, complete); err != nil {
		return fmt.Errorf("its partition table was not written: %w", err)
	}
	return nil
}

// openToWrite opens the disk exclusively, makes sure that it still is the same disk, and keeps udev away from it. It
// retries, because udev may have the disk open briefly.
func (g *Guard) openToWrite(ctx context.Context, disk *Disk) (opened device, err error) {
	err = retry(ctx, openPatience, func() (err error) {
		opened, err = g.tryOpenToWrite(disk)
		return err
	})
	return opened, err
}

func (g *Guard) tryOpenToWrite(disk *Disk) (device, error) {
	opened, err := g.node.Open(g.node.path(disk.Device), exclusiveWrite)
	if err != nil {
		return nil, fmt.Errorf("it is in use: %w", err)
	}
	if err := g.stillTheDisk(opened, disk); err != nil {
		return nil, errors.Join(err, opened.Close())
	}
	if err := opened.Lock(); err != nil {
		return nil, errors.Join(fmt.Errorf("another tool is at work on it: %w", err), opened.Close())
	}
	return opened, nil
}

// checkLinks requires that the kernel sees all partitions, each in its right place, and that the links lead to them.
func (g *Guard) checkLinks(disk *Disk, t table) error {
	all, err := g.node.readTree()
	if err != nil {
		return err
	}
	seen, err := ourPartitions(all, disk, t)
	if err != nil {
		return err
	}
	for i, p := range t.partitions {
		if err := g.checkLink(p.path(), seen[i], disk); err != nil {
			return err
		}
	}
	return nil
}

func (g *Guard) checkLink(path string, partition *block, disk *Disk) error {
	resolved, err := g.node.resolve(path)
	if err != nil {
		return err
	}
	number, err := g.node.Number(g.node.path(resolved))
	if err != nil {
		return fmt.Errorf("%s: %w", resolved, err)
	}
	if partition == nil || partition.Number != number {
		return fmt.Errorf("%s leads to %s, which is not the partition of %s", path, resolved, disk.Device)
	}
	return nil
}

// ourPartitions returns the kernel's view of each partition of a table: nil if the kernel does not see it. It is an
// error if the kernel sees any other partition.
func ourPartitions(all tree, disk *Disk, t table) ([]*block, error) {
	seen := make([]*block, len(t.partitions))
	partitions := all.partitions(all[disk.Number].Name)
	for _, found := range partitions {
		i := slices.IndexFunc(t.partitions, func(p partition) bool {
			return found.StartBytes == p.startBytes && found.SizeBytes == p.sizeBytes
		})
		if i < 0 || seen[i] != nil {
			return nil, fmt.Errorf("it has other partitions than the benchmark's: %s", names(partitions))
		}
		seen[i] = &found
	}
	return seen, nil
}
