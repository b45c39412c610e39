// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"context"
	"errors"
	"fmt"
)

// byPartUUID is where udev links partitions by their GUID.
const byPartUUID = "/dev/disk/by-partuuid/"

// Partition writes a partition table with one partition to a disk that Check accepted, and returns the partition's stable path once the kernel and udev show
// it. The GUIDs must be recorded as owned before: from the first byte written on, they are what Prove and Release recognise. The disk is checked again, all
// steps, before; and its ends once more through the very descriptor that writes and that excludes everybody else.
func (g *Guard) Partition(ctx context.Context, disk Disk, diskGUID, partitionGUID string) (string, error) {
	refuse := func(step Step, err error) (string, error) {
		return "", &Refusal{Device: disk.Name, Path: disk.Path, Step: step, Cause: err}
	}
	t, err := newTable(&disk, diskGUID, partitionGUID)
	if err != nil {
		return refuse(StepOwnership, err)
	}
	now := g.checkAll(ctx, []Want{disk.Want}, poolListAge)[0]
	if now.Refusal != nil {
		return "", now.Refusal
	}
	if now.Disk != disk {
		return refuse(StepPath, fmt.Errorf("it is another disk than before: %s was %s", now.Disk.Device, disk.Device))
	}
	if err := ctx.Err(); err != nil {
		return refuse(StepWrite, err)
	}
	if step, err := g.writeTable(ctx, &disk, t); err != nil {
		return refuse(step, err)
	}
	path := byPartUUID + t.partitionGUID.String()
	if err := g.waitFor(ctx, &disk, func() error { return g.checkLink(path, &disk) }); err != nil {
		return refuse(StepWrite, fmt.Errorf("its partition does not appear: %w", err))
	}
	return path, nil
}

// writeTable writes to the disk. No cancellation can stop it half-way.
func (g *Guard) writeTable(ctx context.Context, disk *Disk, t table) (failed Step, err error) {
	opened, err := g.openToWrite(ctx, disk)
	if err != nil {
		return StepOpen, err
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	have, err := readEnds(opened, disk.SizeBytes)
	if err != nil {
		return StepContent, err
	}
	if err := have.blank(); err != nil {
		return StepContent, err
	}
	if err := t.write(opened); err != nil {
		return StepWrite, fmt.Errorf("its partition table cannot be written: %w", err)
	}
	if err := t.readBack(opened, complete); err != nil {
		return StepWrite, fmt.Errorf("its partition table was not written: %w", err)
	}
	return "", nil
}

// openToWrite opens the disk for us alone, makes sure that it still is that disk, and keeps udev away from it. udev may be at work in passing.
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

// checkLink wants the link to lead to the one partition of the disk, in its right place.
func (g *Guard) checkLink(path string, disk *Disk) error {
	resolved, err := g.node.resolve(path)
	if err != nil {
		return err
	}
	number, err := g.node.Number(g.node.path(resolved))
	if err != nil {
		return fmt.Errorf("%s: %w", resolved, err)
	}
	all, err := g.node.readTree()
	if err != nil {
		return err
	}
	ours, err := ourPartition(all, disk)
	if err != nil {
		return err
	}
	if ours == nil || ours.Number != number {
		return fmt.Errorf("%s leads to %s, which is not the partition of %s", path, resolved, disk.Device)
	}
	return nil
}

// ourPartition returns the kernel's view of the partition: nil if it sees none, an error if it sees any other.
func ourPartition(all tree, disk *Disk) (*block, error) {
	partitions := all.partitions(all[disk.Number].Name)
	if len(partitions) == 0 {
		return nil, nil
	}
	first := partitions[0]
	if len(partitions) > 1 || first.StartBytes != mebibyte || first.SizeBytes != partitionBytes(disk.SizeBytes) {
		return nil, fmt.Errorf("it has other partitions than the benchmark's: %s", names(partitions))
	}
	return &first, nil
}
