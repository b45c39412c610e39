// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"errors"
	"slices"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
)

// renew makes a new dataset in the place of the old one, once the space of that is free, and the disks know it if they are discarded for this benchmark.
func (s poolStorage) renew(ctx context.Context, t *target) error {
	if err := s.removeDataset(ctx, t); err != nil {
		return step(v1alpha1.ReasonPoolFailed, "destroy the dataset of the repetition before", err)
	}
	if err := s.createDataset(ctx, t); err != nil {
		return err
	}
	return s.mount(ctx, t)
}

// removeDataset destroys the dataset that the workloads ran on, in a pool that is provably ours and holds nothing else.
func (s poolStorage) removeDataset(ctx context.Context, t *target) error {
	pool, imported, err := s.findPool(ctx, t.pool())
	if err == nil && !imported {
		err = errors.New("the pool is not imported any more")
	}
	if err == nil {
		err = s.prove(ctx, t.own, pool)
	}
	if err != nil {
		return notOurs(t.pool(), err)
	}
	if err := s.retryBusy(ctx, func() error {
		if err := s.bounded(ctx, func() error { return s.Mounts.Unmount(s.ws.target()) }); err != nil {
			return err
		}
		return s.Pools.DestroyDataset(ctx, t.dataset())
	}); err != nil {
		return err
	}
	if err := errors.Join(s.Pools.Sync(ctx, t.pool()), s.Pools.WaitFreed(ctx, t.pool())); err != nil {
		return err
	}
	if !anyDiscarded(t.prepared) {
		return nil
	}
	return s.Pools.Trim(ctx, t.pool())
}

// anyDiscarded says whether at least one disk supports being told what is free.
func anyDiscarded(disks []result.PreparedDisk) bool {
	return slices.ContainsFunc(disks, func(d result.PreparedDisk) bool { return d.Discarded })
}
