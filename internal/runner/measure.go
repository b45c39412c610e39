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
	"zfsbench.io/operator/internal/runner/target"
	"zfsbench.io/operator/internal/runner/toolrun"
)

// measure runs all workloads of a trial in order and collects their samples; the first that fails ends it.
func (e *Engine) measure(ctx context.Context, t *target.Target, trial *result.Trial) error {
	runs := e.expanded.RunsOn(t.Variant)
	for i, run := range runs {
		measured := e.workload
		if run.IsRepeated() {
			measured = e.inRounds
		}
		sample, err := measured(ctx, t, run, i)
		if err != nil {
			return err
		}
		t.Measured = append(t.Measured, bandwidthOf(sample))
		if err := e.host.Storage(t).CheckUndisturbed(ctx, t, run.Workload); err != nil {
			return err
		}
		e.inspect(ctx, t, run, &sample)
		trial.Samples = append(trial.Samples, sample)
		trial.Pool = sample.Pool
		e.progress.update(func(p *result.Progress) {
			if p.Current != nil {
				p.Current.Percent = (i + 1) * 100 / len(runs)
			}
		})
	}
	trial.Features = e.features(ctx, t)
	return nil
}

// workload lays out files and empties the cache as the workload requires, and measures it.
func (e *Engine) workload(ctx context.Context, t *target.Target, run plan.Run, position int) (result.Sample, error) {
	w := run.Workload
	if !run.IsLater() {
		if err := e.layOut(ctx, t, run); err != nil {
			return result.Sample{}, err
		}
	}
	if run.Cache() == v1alpha1.CacheCold {
		e.atStep(t.Trial, "empty the cache", w.Name)
		if err := e.host.Storage(t).EmptyCache(ctx, t); err != nil {
			return result.Sample{}, err
		}
	}
	doing := "workload"
	switch {
	case run.Pass > 0:
		doing = fmt.Sprintf("pass %d of %d", run.Pass, w.Passes())
	case run.Round > 0:
		doing = fmt.Sprintf("round %d of %d", run.Round, w.MostRuns())
	}
	e.atStep(t.Trial, doing, w.Name)
	sample, err := e.sample(ctx, t, run, position)
	sample.CacheState = string(run.Cache())
	return sample, err
}

// layOut writes the files that the workload will read or overwrite, if its tool needs that.
func (e *Engine) layOut(ctx context.Context, t *target.Target, run plan.Run) error {
	w := run.Workload
	if w.Pool != nil {
		return nil
	}
	program, err := toolrun.Of(w)
	if err != nil {
		return failure.Wrap(v1alpha1.ReasonRunnerFailed, "run workload "+w.Name, err)
	}
	if !program.NeedsLayout() {
		return nil
	}
	e.atStep(t.Trial, "lay out files", w.Name)
	if _, err := e.toolRunner().Run(ctx, e.toolTarget(t), run, toolrun.Options{Layout: true}); err != nil {
		return failure.Wrap(failure.Reason(err, v1alpha1.ReasonWorkloadFailed), "lay out files for workload "+w.Name, err)
	}
	return e.host.Storage(t).Sync(ctx, t)
}

// perform runs the workload's tool, its operation on the pool, or both at the same time.
func (e *Engine) perform(ctx context.Context, t *target.Target, run plan.Run, o toolrun.Options) (toolrun.Run, error) {
	if run.Workload.Pool != nil {
		return e.operate(ctx, t, run, o)
	}
	if run.Workload.During != nil {
		return e.meanwhile(ctx, t, run, o)
	}
	return e.toolRunner().Run(ctx, e.toolTarget(t), run, o)
}

// sample runs the workload between two readings of the counters. Data that is still in memory at its end is written out
// before the byte counters are read again.
func (e *Engine) sample(ctx context.Context, t *target.Target, of plan.Run, position int) (result.Sample, error) {
	doing := "read the counters for workload " + of.Name()
	waitedBefore := e.host.ReadWaited(ctx, t)
	before, err := e.host.BytesMoved(t)
	if err != nil {
		return result.Sample{}, failure.Wrap(v1alpha1.ReasonRunnerFailed, doing, err)
	}
	var readBefore reading
	seen := e.newObserver(t)
	run, err := e.perform(ctx, t, of, toolrun.Options{Position: position, Ready: func() {
		readBefore = e.readBefore(t)
		seen.begin()
	}})
	seen.end()
	readAfter := e.readAfter(t)
	if err != nil {
		return result.Sample{}, failure.Wrap(failure.Reason(err, v1alpha1.ReasonWorkloadFailed),
			"run workload "+of.Name(), err)
	}
	s := run.Sample
	if err := e.host.Storage(t).Sync(ctx, t); err != nil {
		return result.Sample{}, err
	}
	after, errBytes := e.host.BytesMoved(t)
	t.RecordVdevs(waitedBefore, e.host.ReadWaited(ctx, t), &s)
	s.Workload, s.Pass, s.SizeBytes = of.Workload.Name, of.Pass, of.SizeBytes()
	s.Argv, s.JobFile, s.ToolCPUSeconds = run.Argv, run.Input, run.CPU.Seconds()
	if err := errors.Join(e.between(readBefore, readAfter, &s), errBytes); err != nil {
		return result.Sample{}, failure.Wrap(v1alpha1.ReasonRunnerFailed, doing, err)
	}
	devices, direct := after.Devices.Sub(before.Devices), after.Direct.Sub(before.Direct)
	s.DeviceReadBytes, s.DeviceWrittenBytes = devices.Read, devices.Written
	s.DeviceReads, s.DeviceWrites = devices.Reads, devices.Writes
	s.DirectReadBytes, s.DirectWrittenBytes = direct.Read, direct.Written
	seen.record(of, &s)
	err = e.host.Storage(t).Describe(ctx, t, &s)
	return s, err
}
