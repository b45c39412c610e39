// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"errors"
	"fmt"

	"zfsbench.io/operator/internal/result"
)

// conclude makes the report from the error that ended the work, if there is one, and delivers it. It removes the
// journal if no other runner has to continue.
func (e *Engine) conclude(ctx context.Context, err error) Outcome {
	stopped := stopCause(ctx)
	switch {
	case err == nil || errors.Is(err, errSuspended) || stopped == nil:
	case e.allDone():
		err = nil // only publishing was left to do
	case !errors.Is(err, stopped):
		err = errors.Join(stopped, err)
	}
	if err != nil && !errors.Is(err, errSuspended) && !errors.Is(err, ErrInterrupted) {
		err = errors.Join(err, e.giveUpRerun())
	}
	progress := e.lastProgress()
	e.setFinalState(&progress, err)
	if err != nil && !errors.Is(err, errSuspended) {
		e.Log.Error("the benchmark ends early", "benchmark", e.String(), "error", err)
	}
	timeout := e.timings.reportTimeout
	if errors.Is(stopped, ErrInterrupted) {
		timeout = e.timings.interruptedReportTimeout
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
	defer cancel()
	outcome := Outcome{Progress: progress, Interrupted: errors.Is(err, ErrInterrupted)}
	if err := e.deliver(ctx, progress); err != nil {
		outcome.Err = fmt.Errorf("the report could not be delivered: %w", err)
		return outcome
	}
	outcome.Err = e.removeRecords(outcome)
	return outcome
}

// allDone says that every trial has a result and that the benchmark owns nothing on the node any more.
func (e *Engine) allDone() bool {
	return e.journal != nil && e.journal.PlanDigest() == e.digest && e.journal.Owned() == nil && !e.plan.DryRun &&
		len(e.pending()) == 0
}

// lastProgress ends publishing in the background and returns the last progress.
func (e *Engine) lastProgress() result.Progress {
	if e.progress != nil {
		return e.progress.finish()
	}
	now := e.Now()
	return result.Progress{Version: result.Version, PlanDigest: e.digest, Started: now, Updated: now}
}

func (e *Engine) setFinalState(p *result.Progress, err error) {
	p.Current, p.Gone = nil, e.gone
	if e.journal != nil {
		p.Completed, p.Failed = e.counts()
	}
	switch {
	case errors.Is(err, errSuspended):
		p.State = result.StateSuspended
	case err != nil:
		p.State, p.Failure = result.StateFailed, failureOf(err)
	case p.Failed > 0:
		p.State, p.Failure = result.StateFailed, e.firstFailure(p.Failed)
	default:
		p.State = result.StateComplete
	}
}

// firstFailure is the failure of the first trial that failed. Its message counts all failed trials.
func (e *Engine) firstFailure(failed int) *result.Failure {
	for _, t := range e.journal.Results() {
		if t.Failure == nil {
			continue
		}
		message := fmt.Sprintf("%d of %d trials failed; the first was trial %d (variant %s, repetition %d): %s",
			failed, len(e.journal.Results()), t.Index, t.Variant, t.Repetition, t.Failure.Message)
		return &result.Failure{Reason: t.Failure.Reason, Message: message, Tail: t.Failure.Tail}
	}
	return nil
}

// deliver sends what the sink lacks, the report last.
func (e *Engine) deliver(ctx context.Context, progress result.Progress) error {
	if e.recorded {
		if err := e.clearRecord(ctx); err != nil {
			return err
		}
	}
	if e.journal != nil && e.journal.PlanDigest() == e.digest {
		if err := e.sendResults(ctx); err != nil {
			return err
		}
	}
	return e.Sink.PutProgress(ctx, progress)
}

// removeRecords keeps the journal if another runner has to continue or to clean up; otherwise it removes all files of
// the benchmark.
func (e *Engine) removeRecords(o Outcome) error {
	switch {
	case e.journal == nil || e.journal.Owned() != nil || o.Interrupted:
		return nil
	case o.Progress.State == result.StateSuspended:
		return e.journal.Suspend(e.Now())
	default:
		return e.ws.Remove()
	}
}
