// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"context"
	"errors"
	"fmt"

	"zfsbench.io/operator/internal/result"
)

// Prove verifies that a disk is the one that was recorded as owned, and that its partition table is the recorded one,
// byte for byte. It writes nothing. The error is nil or a *Refusal.
func (g *Guard) Prove(ctx context.Context, owned result.OwnedDevice) error {
	c, err := g.find(ctx, owned)
	if err != nil {
		return err
	}
	return g.proveTable(c)
}

// proveTable requires the whole recorded table on a disk that was found.
func (g *Guard) proveTable(c *ownershipProof) error {
	found, err := g.compareEnds(c)
	if err == nil && found != complete {
		err = errors.New("its partition table is not the one that was recorded")
	}
	if err != nil {
		return c.refuse(StepOwnership, err)
	}
	return nil
}

// ownershipProof is what was found of a disk that was recorded as owned.
type ownershipProof struct {
	disk  Disk
	table table
	// seen is the kernel's view of each partition of the table, nil if the kernel does not see it.
	seen []*block
	// otherPartitions is an error if the kernel sees partitions that are not ours.
	otherPartitions error
}

func (c *ownershipProof) refuse(step Step, err error) error {
	return &Refusal{Device: c.disk.Name, Path: c.disk.Path, Step: step, Cause: err}
}

// find identifies the disk by path, serial and size.
func (g *Guard) find(ctx context.Context, owned result.OwnedDevice) (*ownershipProof, error) {
	want := Want{Name: owned.Name, Path: owned.Path, Serial: owned.Serial, SizeBytes: owned.SizeBytes}
	c := &ownershipProof{disk: Disk{Want: want}}
	var look hostState
	var err error
	if look.initialPIDs, err = g.node.seesAllProcesses(); err != nil {
		return nil, c.refuse(StepHost, err)
	}
	if look.tree, err = g.node.readTree(); err != nil {
		return nil, c.refuse(StepHost, err)
	}
	if c.disk, err = g.identify(ctx, &look, want); err != nil {
		return nil, err
	}
	if c.table, err = newTable(&c.disk, owned); err != nil {
		return nil, c.refuse(StepOwnership, err)
	}
	c.seen, c.otherPartitions = ourPartitions(look.tree, &c.disk, c.table)
	return c, nil
}

// compareEnds reads the disk without excluding its users, because the pool on it may be imported, and gets the kernel's
// view of it.
func (g *Guard) compareEnds(c *ownershipProof) (found likeness, err error) {
	opened, err := g.node.Open(g.node.path(c.disk.Device), shared)
	if err != nil {
		return foreign, fmt.Errorf("it cannot be read: %w", err)
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	if err := g.stillTheDisk(opened, &c.disk); err != nil {
		return foreign, err
	}
	have, err := readEnds(opened, c.disk.SizeBytes)
	if err != nil {
		return foreign, err
	}
	found, err = c.table.compare(have)
	if err == nil && c.otherPartitions != nil {
		return foreign, c.otherPartitions
	}
	return found, err
}
