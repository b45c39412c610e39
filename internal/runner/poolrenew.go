// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"errors"
	"slices"

	"zfsbench.io/operator/internal/runner/failure"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
)

// renew makes a new dataset in the place of the old one, once the space of that is free, and the disks know it if they
// are discarded for this benchmark.
func (s poolStorage) renew(ctx context.Context, t *target) error {
	if err := s.removeDataset(ctx, t); err != nil {
		return failure.Wrap(v1alpha1.ReasonPoolFailed, "destroy the dataset of the repetition before", err)
	}
	if err := s.createDataset(ctx, t); err != nil {
		return err
	}
	return s.mount(ctx, t)
}

// removeDataset destroys the dataset that the workloads ran on, and discards its space.
func (s poolStorage) removeDataset(ctx context.Context, t *target) error {
	if _, err := s.destroyDataset(ctx, t); err != nil {
		return err
	}
	return s.trimFreed(ctx, t)
}

// trimFreed discards what is free on the disks that support it.
func (s poolStorage) trimFreed(ctx context.Context, t *target) error {
	if !anyDiscarded(t.prepared) {
		return nil
	}
	return s.Pools.Trim(ctx, t.pool())
}

// awaitFreed waits until the space of what was destroyed is free.
func (s poolStorage) awaitFreed(ctx context.Context, t *target) error {
	return errors.Join(s.Pools.Sync(ctx, t.pool()), s.Pools.WaitFreed(ctx, t.pool()))
}

// anyDiscarded says whether at least one disk supports discards.
func anyDiscarded(disks []result.PreparedDisk) bool {
	return slices.ContainsFunc(disks, func(d result.PreparedDisk) bool { return d.Discarded })
}
