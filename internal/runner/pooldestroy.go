// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"errors"
)

// took is how long something took that succeeded, in nanoseconds.
func (h *host) took(do func() error) (int64, error) {
	begin := h.Now()
	if err := do(); err != nil {
		return 0, err
	}
	return max(1, h.Now().Sub(begin).Nanoseconds()), nil
}

// destroyable is storage with a dataset that can be destroyed before all of it is torn down.
type destroyable interface {
	// canDestroy says whether that can be timed.
	canDestroy(t *target) bool
	// destroyDataset returns how long it took, in nanoseconds.
	destroyDataset(ctx context.Context, t *target) (nanoseconds int64, err error)
}

// canDestroy is false for a dataset with snapshots: it would go only with them, one by one.
func (poolStorage) canDestroy(t *target) bool { return len(t.own.Snapshots) == 0 }

// destroyDataset destroys the dataset that the workloads ran on, with its children, in a pool that is provably ours and
// holds nothing else, and waits until its space is free. It returns how long that took.
func (s poolStorage) destroyDataset(ctx context.Context, t *target) (nanoseconds int64, err error) {
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
				begin = s.Now() // what was busy before does not count
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

// timeDestroy destroys the dataset of a trial that succeeded, and adds to its result how long that took. The pool is
// taken away afterwards, whatever becomes of this: what cannot be timed is missing in the result, and what is wrong
// with the pool shows then.
func (e *Engine) timeDestroy(ctx context.Context, t *target) error {
	trial, done := e.journal.Result(t.trial.Index)
	on, can := e.storage(t).(destroyable)
	if !done || trial.Failure != nil || !can || !on.canDestroy(t) {
		return nil
	}
	e.atStep(t.trial, "destroy dataset", "")
	trial.Times.DatasetDestroy = e.tryDestroy(ctx, on, t)
	if trial.Times.DatasetDestroy == 0 {
		return nil
	}
	return e.finish(trial)
}

// tryDestroy destroys the dataset and says how long that took; 0 if it could not be timed.
func (e *Engine) tryDestroy(ctx context.Context, on destroyable, t *target) int64 {
	ctx, cancel := context.WithTimeoutCause(ctx, e.timings.destroyPatience, errors.New("it takes too long to be timed"))
	defer cancel()
	var took int64
	err := e.watched(ctx, t, func(ctx context.Context) (err error) {
		took, err = on.destroyDataset(ctx, t)
		return err
	})
	if err != nil {
		e.Log.Warn("how long it takes to destroy the dataset is not known", "trial", t.trial.Index, "error", err)
	}
	return took
}
