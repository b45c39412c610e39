// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"errors"
	"fmt"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/runner/failure"
)

// runTrial runs one trial from blank devices to blank devices, or on the target of the trial before. If a workload
// fails, that is a result like any other, or the trial is run again. Only errors that end the benchmark are returned.
//
// The result is recorded before the target is destroyed: if a runner is killed in between, the next one only has to
// finish the teardown. A target that the next trial shares is kept.
func (e *Engine) runTrial(ctx context.Context, t plan.Trial) error {
	trial := e.newTrial(t)
	tgt, err := e.setUp(ctx, t)
	err = e.nameVariant(t, err)
	if err == nil {
		trial.ModuleParameters, trial.PreparedDisks, trial.EarlierOnPool = tgt.Parameters, tgt.Prepared, tgt.Earlier
		trial.Times, trial.Claim = tgt.Times, tgt.Claimed
		err = e.watched(ctx, tgt, func(ctx context.Context) error { return e.measure(ctx, tgt, &trial) })
		if err == nil || stopCause(ctx) == nil {
			err = e.endAttempt(tgt, trial, err)
		}
	}
	if err == nil && len(tgt.Own.Snapshots) == 0 && e.nextSharesPool(t) {
		e.kept = tgt
		return e.publish(ctx)
	}
	if err == nil {
		err = e.timeDestroy(ctx, tgt)
	}
	if own := e.journal.Owned(); own != nil {
		e.atStep(t, e.host.StorageOf(*own).Removal(), "")
		err = errors.Join(err, e.tearDown(ctx, *own))
	}
	if err != nil {
		return err
	}
	return e.publish(ctx)
}

// nameVariant adds the variant's name to an error, if there are several variants.
func (e *Engine) nameVariant(t plan.Trial, err error) error {
	if err == nil || len(e.plan.Variants) < 2 {
		return err
	}
	return fmt.Errorf("variant %s: %w", t.Variant, err)
}

func (e *Engine) newTrial(t plan.Trial) result.Trial {
	return result.Trial{
		Version: result.Version, PlanDigest: e.digest, Index: t.Index, Variant: t.Variant, Repetition: t.Repetition,
		Node: e.plan.Node.Name, Started: e.Now(),
	}
}

// finish records the result of a trial. A result that is too large for the sink is recorded as a failure: it must not
// hold up the other trials.
func (e *Engine) finish(trial result.Trial) error {
	if _, err := result.EncodeTrialWithin(trial, plan.TrialBytes(e.plan)); err != nil {
		trial.Samples, trial.Pool = nil, result.PoolFacts{}
		trial.Failure = failureOf(failure.Wrap(v1alpha1.ReasonRunnerFailed, "make a result document of the samples", err))
	}
	return failure.Wrap(v1alpha1.ReasonRunnerFailed, "record the result on the node", e.journal.Finish(trial))
}

// publish sends the result of the trial that has just ended.
func (e *Engine) publish(ctx context.Context) error {
	if err := e.sendResults(ctx); err != nil {
		return failure.Wrap(v1alpha1.ReasonRunnerFailed, "send the result", err)
	}
	e.progress.announce(func(p *result.Progress) {
		p.Completed, p.Failed = e.counts()
		p.Current = nil
	})
	return nil
}
