// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"errors"

	"zfsbench.io/operator/internal/runner/target"
)

// timeDestroy destroys the dataset of a trial that succeeded, and adds to its result how long that took. If that fails,
// only the time is missing in the result: the pool is destroyed afterwards in any case, and that reports what is wrong
// with the pool.
func (e *Engine) timeDestroy(ctx context.Context, t *target.Target) error {
	trial, done := e.journal.Result(t.Trial.Index)
	on, can := e.host.Storage(t).(target.Destroyable)
	if !done || trial.Failure != nil || !can || !on.CanDestroy(t) {
		return nil
	}
	e.atStep(t.Trial, "destroy dataset", "")
	trial.Times.DatasetDestroy = e.tryDestroy(ctx, on, t)
	if trial.Times.DatasetDestroy == 0 {
		return nil
	}
	return e.finish(trial)
}

// tryDestroy destroys the dataset and says how long that took; 0 if it could not be timed.
func (e *Engine) tryDestroy(ctx context.Context, on target.Destroyable, t *target.Target) int64 {
	ctx, cancel := context.WithTimeoutCause(ctx, e.timings.destroyPatience, errors.New("it takes too long to be timed"))
	defer cancel()
	var took int64
	err := e.watched(ctx, t, func(ctx context.Context) (err error) {
		took, err = on.DestroyDataset(ctx, t)
		return err
	})
	if err != nil {
		e.Log.Warn("destroying the dataset could not be timed", "trial", t.Trial.Index, "error", err)
	}
	return took
}
