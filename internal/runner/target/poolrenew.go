// SPDX-License-Identifier: Apache-2.0

package target

import (
	"context"
	"errors"
	"slices"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/runner/failure"
)

// Renew replaces the dataset by a new one. Before that it waits until the space of the old one is free, and discards it
// if this benchmark discards disks.
func (s poolStorage) Renew(ctx context.Context, t *Target) error {
	if err := s.removeDataset(ctx, t); err != nil {
		return failure.Wrap(v1alpha1.ReasonPoolFailed, "destroy the dataset of the previous repetition", err)
	}
	if err := s.createDataset(ctx, t); err != nil {
		return err
	}
	return s.mount(ctx, t)
}

// removeDataset destroys the dataset that the workloads used, and discards its space.
func (s poolStorage) removeDataset(ctx context.Context, t *Target) error {
	if _, err := s.DestroyDataset(ctx, t); err != nil {
		return err
	}
	return s.trimFreed(ctx, t)
}

// trimFreed discards the free space of the pool, if disks support it.
func (s poolStorage) trimFreed(ctx context.Context, t *Target) error {
	if !anyDiscarded(t.Prepared) {
		return nil
	}
	return s.Pools.Trim(ctx, t.Pool())
}

// awaitFreed waits until the space of destroyed datasets is free.
func (s poolStorage) awaitFreed(ctx context.Context, t *Target) error {
	return errors.Join(s.Pools.Sync(ctx, t.Pool()), s.Pools.WaitFreed(ctx, t.Pool()))
}

// anyDiscarded says whether at least one disk supports discards.
func anyDiscarded(disks []result.PreparedDisk) bool {
	return slices.ContainsFunc(disks, func(d result.PreparedDisk) bool { return d.Discarded })
}
