// SPDX-License-Identifier: Apache-2.0

package target

import (
	"context"
	"errors"
	"fmt"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/node/monitor"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/runner/failure"
	"zfsbench.io/operator/internal/runner/ownership"
	"zfsbench.io/operator/internal/storage/zfs"
)

func (s poolStorage) Sync(ctx context.Context, t *Target) error {
	return failure.Wrap(v1alpha1.ReasonPoolFailed, "sync the pool", s.Pools.Sync(ctx, t.Pool()))
}

// directBytes are the bytes of I/O that bypassed the ARC.
func (s poolStorage) directBytes(t *Target) (monitor.Moved, error) {
	return s.Node.DirectBytes(t.Pool())
}

// waits is what the vdevs have counted since the pool was imported.
func (s poolStorage) waits(ctx context.Context, t *Target) ([]zfs.Waits, error) {
	return s.Pools.Waits(ctx, t.Pool())
}

// EmptyCache drops the pool's data from the ARC, which only an export does, and file devices from the page cache.
func (s poolStorage) EmptyCache(ctx context.Context, t *Target) error {
	if err := s.detach(ctx, t); err != nil {
		return err
	}
	if err := s.dropFromPageCache(t); err != nil {
		return failure.Wrap(v1alpha1.ReasonPoolFailed, "empty the page cache", err)
	}
	return s.reattach(ctx, t)
}

// detach unmounts the dataset and exports the pool.
func (s poolStorage) detach(ctx context.Context, t *Target) error {
	const doing = "export the pool"
	// An export would unmount datasets that somebody else has created in the pool.
	if err := s.proveDatasets(ctx, t.Own, t.Pool()); err != nil {
		return failure.Wrap(v1alpha1.ReasonPoolFailed, doing, err)
	}
	if !t.isVolume() {
		if err := s.retryBusy(ctx, func() error { return s.unmountAll(ctx) }); err != nil {
			return failure.Wrap(v1alpha1.ReasonPoolFailed, doing, err)
		}
	}
	err := s.retryBusy(ctx, func() error { return s.Pools.Export(ctx, t.Pool(), t.Own.PoolGUID) })
	return failure.Wrap(v1alpha1.ReasonPoolFailed, doing, err)
}

// reattach imports the exported pool and mounts the dataset.
func (s poolStorage) reattach(ctx context.Context, t *Target) error {
	back := zfs.Import{GUID: t.Own.PoolGUID, Name: t.Pool(), Dirs: ownership.SearchPaths(t.Own.Devices)}
	if err := s.retryBusy(ctx, func() error { return s.Pools.Import(ctx, back) }); err != nil {
		return failure.Wrap(v1alpha1.ReasonPoolFailed, "import the pool", err)
	}
	t.imports++
	return s.mount(ctx, t)
}

// Describe reads the state of the pool. On a busy node its labels may be unreadable for a moment; the other facts are
// used without them.
func (s poolStorage) Describe(ctx context.Context, t *Target, sample *result.Sample) error {
	facts, err := s.Pools.PoolFacts(ctx, t.Pool(), t.dataset())
	if err != nil && facts.Health == "" {
		return failure.Wrap(v1alpha1.ReasonPoolFailed, fmt.Sprintf("read the facts of pool %s", t.Pool()), err)
	}
	if err != nil {
		s.Log.Warn("some facts of the pool are missing", "pool", t.Pool(), "error", err)
	}
	if err := s.describeChildren(ctx, t, &facts); err != nil {
		return err
	}
	sample.Pool = facts
	return nil
}

// Broken is a *zfs.SuspendedError or a *GoneError, or nil.
func (s poolStorage) Broken(t *Target) error {
	var suspended *zfs.SuspendedError
	if err := s.Pools.CheckState(t.Pool()); errors.As(err, &suspended) {
		return err
	}
	return s.lostDevices(t)
}

// CheckUndisturbed fails if anything but the workload may have influenced what was measured.
func (s poolStorage) CheckUndisturbed(ctx context.Context, t *Target, w v1alpha1.Workload) error {
	status, err := s.Pools.Status(ctx, t.Pool())
	if err != nil {
		return failure.Wrap(v1alpha1.ReasonPoolFailed, "read the status of the pool", err)
	}
	reason, problem := disturbance(status, t.offlinePaths())
	if problem == "" {
		return nil
	}
	return failure.Wrap(reason, fmt.Sprintf("measure workload %s undisturbed", w.Name), errors.New(problem))
}
