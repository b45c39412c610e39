// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"errors"
	"slices"

	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/runner/target"
)

// nextSharesPool says whether the next trial runs on the target of the trial that has just ended. The target of a trial
// that failed or was excluded is never used again.
func (e *Engine) nextSharesPool(t plan.Trial) bool {
	if !e.plan.KeepsPools() || !e.journal.Succeeded(t.Index) {
		return false
	}
	pending := e.pending()
	return len(pending) > 0 && pending[0].Variant == t.Variant
}

// mayShareNext says whether another trial may run on the target of this one, which has not ended yet.
func (e *Engine) mayShareNext(t plan.Trial) bool {
	return e.plan.KeepsPools() && slices.ContainsFunc(e.pending(),
		func(p plan.Trial) bool { return p.Variant == t.Variant && p.Index != t.Index })
}

// takeOver renews the target of the trial before for this trial. As with setUp, whatever it returns has to be torn
// down, also with an error.
func (e *Engine) takeOver(ctx context.Context, kept target.Target, t plan.Trial) (*target.Target, error) {
	e.atStep(t, "renew dataset", "")
	kept.Trial, kept.Measured, kept.Own.TrialIndex = t, nil, t.Index
	kept.Earlier++
	kept.Times = result.Times{}
	if err := e.host.Record(ctx, kept.Own); err != nil {
		return &kept, err
	}
	return &kept, e.watched(ctx, &kept, func(ctx context.Context) error { return e.host.Storage(&kept).Renew(ctx, &kept) })
}

// dropKept tears down the target that was kept for the next trial, which does not run because of an error or a
// suspension. A suspended benchmark must leave nothing on the node: if something is left, that is the error.
func (e *Engine) dropKept(ctx context.Context, err error) error {
	if e.kept == nil {
		return err
	}
	e.kept = nil
	left := e.tearDown(ctx, *e.journal.Owned())
	if left != nil && errors.Is(err, errSuspended) {
		return left
	}
	return errors.Join(err, left)
}
