// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/analysis/experiment"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/runner/failure"
	"zfsbench.io/operator/internal/runner/target"
)

// endAttempt records how a trial ended: as its result, or as an attempt that is excluded, after which the trial is run
// again.
func (e *Engine) endAttempt(t *target.Target, trial result.Trial, err error) error {
	trial.Finished = e.Now()
	trial.Excluded = e.journal.Excluded(trial.Index)
	if err == nil {
		return e.finish(trial)
	}
	trial.Failure = failureOf(err)
	if !experiment.Excludes(trial.Failure.Reason) || !experiment.MayRerun(e.plan, e.journal.Results(), t.Trial,
		len(trial.Excluded)) {
		return e.finish(trial)
	}
	e.Log.Warn("this attempt is excluded, and the trial run again", "trial", trial.Index, "error", err)
	attempt := result.Attempt{Started: trial.Started, Finished: trial.Finished, Failure: *trial.Failure,
		Bandwidths: t.Measured}
	return failure.Wrap(v1alpha1.ReasonRunnerFailed, "record the excluded attempt on the node",
		e.journal.Exclude(trial.Index, attempt))
}

// giveUpRerun makes the last excluded attempt the result of its trial: the benchmark ends before the trial could be run
// again.
func (e *Engine) giveUpRerun() error {
	if e.journal == nil || e.journal.PlanDigest() != e.digest {
		return nil
	}
	index, attempts := e.journal.ExcludedTrial()
	if e.journal.Finished(index) || index < 0 || index >= len(e.plan.Trials) || len(attempts) == 0 {
		return nil
	}
	last := attempts[len(attempts)-1]
	trial := e.newTrial(e.plan.Trials[index])
	trial.Started, trial.Finished, trial.Failure, trial.Excluded = last.Started, last.Finished, &last.Failure,
		attempts[:len(attempts)-1]
	return e.finish(trial)
}

// bandwidthOf is the part of a sample that is kept if the attempt is excluded.
func bandwidthOf(s result.Sample) result.Bandwidth {
	b := result.Bandwidth{Workload: s.Workload, Pass: s.Pass}
	if s.Read != nil {
		b.ReadBytesPerSecond = int64(s.Read.BandwidthBytesPerSecond)
	}
	if s.Write != nil {
		b.WriteBytesPerSecond = int64(s.Write.BandwidthBytesPerSecond)
	}
	return b
}
