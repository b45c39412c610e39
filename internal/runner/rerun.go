// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/experiment"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/zfs"
)

// endAttempt records how a trial ended: as its result, or as an attempt that is excluded, after which the trial is run again.
func (e *Engine) endAttempt(t *target, trial result.Trial, err error) error {
	trial.Finished = e.Now()
	trial.Excluded = e.journal.excluded(trial.Index)
	if err == nil {
		return e.finish(trial)
	}
	trial.Failure = failureOf(err)
	if !experiment.Excludes(trial.Failure.Reason) || !experiment.MayRerun(e.plan, e.journal.results(), t.trial, len(trial.Excluded)) {
		return e.finish(trial)
	}
	e.Log.Warn("this attempt is excluded, and the trial run again", "trial", trial.Index, "error", err)
	attempt := result.Attempt{Started: trial.Started, Finished: trial.Finished, Failure: *trial.Failure, Bandwidths: t.measured}
	return step(v1alpha1.ReasonRunnerFailed, "record the excluded attempt on the node", e.journal.exclude(trial.Index, attempt))
}

// giveUpRerun makes the last excluded attempt the result of its trial: the benchmark ends before the trial could be run again.
func (e *Engine) giveUpRerun() error {
	if e.journal == nil || e.journal.state.PlanDigest != e.digest || e.journal.state.Excluded == nil {
		return nil
	}
	index := e.journal.state.Excluded.Trial
	attempts := e.journal.excluded(index)
	if e.journal.finished(index) || index < 0 || index >= len(e.plan.Trials) || len(attempts) == 0 {
		return nil
	}
	last := attempts[len(attempts)-1]
	trial := e.newTrial(e.plan.Trials[index])
	trial.Started, trial.Finished, trial.Failure, trial.Excluded = last.Started, last.Finished, &last.Failure, attempts[:len(attempts)-1]
	return e.finish(trial)
}

// checkUndisturbed fails if something else than the workload may have decided what was measured.
func (e *Engine) checkUndisturbed(ctx context.Context, t *target, w v1alpha1.Workload) error {
	status, err := e.Pools.Status(ctx, t.pool())
	if err != nil {
		return step(v1alpha1.ReasonPoolFailed, "read the status of the pool", err)
	}
	reason, problem := disturbance(status)
	if problem == "" {
		return nil
	}
	return step(reason, fmt.Sprintf("measure workload %s undisturbed", w.Name), errors.New(problem))
}

// disturbance is what excludes a measurement on a pool, or nothing. The pool's counters of errors begin at 0 when it is created or imported.
func disturbance(s zfs.Status) (reason, problem string) {
	if s.State != "ONLINE" {
		return v1alpha1.ReasonPoolNotOnline, "the pool is " + s.State
	}
	for _, v := range s.Vdevs {
		if v.State != "ONLINE" {
			return v1alpha1.ReasonPoolNotOnline, fmt.Sprintf("%s is %s", v.Name, v.State)
		}
	}
	if len(s.Active) > 0 {
		return v1alpha1.ReasonPoolBusy, "OpenZFS was busy with the pool by itself: " + strings.Join(s.Active, ", ")
	}
	for _, v := range s.Vdevs {
		if max(v.ReadErrors, v.WriteErrors, v.ChecksumErrors) > 0 {
			return v1alpha1.ReasonVdevErrors, fmt.Sprintf("%s has counted %d read, %d write and %d checksum errors", v.Name, v.ReadErrors, v.WriteErrors, v.ChecksumErrors)
		}
	}
	return "", ""
}

// bandwidthOf is what is kept of a sample if it is excluded.
func bandwidthOf(s result.Sample) result.Bandwidth {
	b := result.Bandwidth{Workload: s.Workload}
	if s.Read != nil {
		b.ReadBytesPerSecond = int64(s.Read.BandwidthBytesPerSecond)
	}
	if s.Write != nil {
		b.WriteBytesPerSecond = int64(s.Write.BandwidthBytesPerSecond)
	}
	return b
}
