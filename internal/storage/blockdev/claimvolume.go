// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// minimumBlankBytes is the smallest volume that can be checked: both ends and something in between.
const minimumBlankBytes = 4 * mebibyte

// NotBlankError says that a volume is not blank, or may not be.
type NotBlankError struct {
	Device string
	Cause  error
}

func (e *NotBlankError) Error() string {
	return fmt.Sprintf("%s is not certainly a new, blank volume: %v", e.Device, e.Cause)
}

// Unwrap returns the cause.
func (e *NotBlankError) Unwrap() error { return e.Cause }

// CheckBlankVolume checks a block device that Kubernetes provides. No policy lists it, so nothing is known about it: it
// must have no signature, and only zeros in the first and last 9 MiB and at every sampled place. It writes nothing. The
// error is nil or a *NotBlankError.
func (g *Guard) CheckBlankVolume(ctx context.Context, device string) error {
	if err := g.checkBlank(ctx, device); err != nil {
		return &NotBlankError{Device: device, Cause: err}
	}
	return nil
}

func (g *Guard) checkBlank(ctx context.Context, device string) (err error) {
	opened, err := g.node.Open(g.node.path(device), shared)
	if err != nil {
		return fmt.Errorf("it cannot be read: %w", err)
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	disk := Disk{Device: device}
	if disk.SizeBytes, err = opened.SizeBytes(); err != nil {
		return fmt.Errorf("its size cannot be read: %w", err)
	}
	if disk.SizeBytes < minimumBlankBytes {
		return fmt.Errorf("it has %d bytes, too few to be checked: the minimum is %d", disk.SizeBytes, minimumBlankBytes)
	}
	if disk.Number, err = opened.Number(); err != nil {
		return fmt.Errorf("it cannot be identified: %w", err)
	}
	if err := g.noSignatures(ctx, &disk); err != nil {
		return err
	}
	return blankThroughout(opened, &disk)
}

// noSignatures requires a device on which blkid and wipefs find nothing, also where a first partition usually starts.
func (g *Guard) noSignatures(ctx context.Context, disk *Disk) error {
	whole, err := g.blkid(ctx, disk.Device)
	if err != nil {
		return err
	}
	inside, err := g.blkidInside(ctx, disk, mebibyte, partitionBytes(disk.SizeBytes))
	if err != nil {
		return err
	}
	wiped, err := g.wipefs(ctx, disk.Device)
	if err != nil {
		return err
	}
	found := append(describe(whole, ""), describe(inside, " at 1 MiB, where a wiped partition may have begun")...)
	for _, s := range wiped {
		found = append(found, fmt.Sprintf("signature %s at %s (wipefs)", s.Type, s.Offset))
	}
	if len(found) > 0 {
		return fmt.Errorf("it holds data: %s", strings.Join(found, "; "))
	}
	return nil
}

// blankThroughout reads the ends, the margins and the samples.
func blankThroughout(opened device, disk *Disk) error {
	if err := blankEnds(opened, disk); err != nil {
		return err
	}
	at, err := dataInMargins(opened, disk.SizeBytes)
	if err != nil {
		return err
	}
	found, err := readProbes(opened, disk.SizeBytes)
	if err != nil {
		return err
	}
	if at < 0 {
		at = found.data
	}
	if at >= 0 {
		return fmt.Errorf("it holds data at byte %d, without a signature", at)
	}
	return nil
}
