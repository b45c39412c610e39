// SPDX-License-Identifier: Apache-2.0

package target

import (
	"context"
)

// CanDestroy is false for a dataset with snapshots: they would have to be destroyed first, one by one.
func (poolStorage) CanDestroy(t *Target) bool { return len(t.Own.Snapshots) == 0 }

// DestroyDataset destroys the dataset that the workloads used, with its children, and waits until its space is free.
// The pool must provably be ours and hold nothing else. It returns how long that took.
func (s poolStorage) DestroyDataset(ctx context.Context, t *Target) (nanoseconds int64, err error) {
	if err := s.proveOwn(ctx, t); err != nil {
		return 0, err
	}
	if err := s.retryBusy(ctx, func() error { return s.unmountAll(ctx) }); err != nil {
		return 0, err
	}
	begin := s.Now()
	for i, dataset := range t.deepestFirst() {
		if err := s.retryBusy(ctx, func() error {
			if i == 0 {
				begin = s.Now() // time during which the dataset was busy does not count
			}
			return s.Pools.DestroyDataset(ctx, dataset)
		}); err != nil {
			return 0, err
		}
	}
	if err := s.awaitFreed(ctx, t); err != nil {
		return 0, err
	}
	return max(1, s.Now().Sub(begin).Nanoseconds()), nil
}
