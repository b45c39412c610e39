// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"errors"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
)

// measure runs all workloads of a trial in order and collects their samples; the first that fails ends it.
func (e *Engine) measure(ctx context.Context, t *target, trial *result.Trial) error {
	for i, w := range e.plan.Workloads {
		sample, err := e.workload(ctx, t, w, i)
		if err != nil {
			return err
		}
		t.measured = append(t.measured, bandwidthOf(sample))
		if err := e.storage(t).checkUndisturbed(ctx, t, w); err != nil {
			return err
		}
		trial.Samples = append(trial.Samples, sample)
		trial.Pool = sample.Pool
		e.progress.update(func(p *result.Progress) {
			if p.Current != nil {
				p.Current.Percent = (i + 1) * 100 / len(e.plan.Workloads)
			}
		})
	}
	return nil
}

// workload brings what it runs on into the state that a workload asks for, and measures it.
func (e *Engine) workload(ctx context.Context, t *target, w v1alpha1.Workload, position int) (result.Sample, error) {
	if err := e.layOut(ctx, t, w); err != nil {
		return result.Sample{}, err
	}
	state := v1alpha1.CacheWarm
	if w.Cache != v1alpha1.CacheWarm {
		state = v1alpha1.CacheCold
		e.atStep(t.trial, "empty the cache", w.Name)
		if err := e.storage(t).emptyCache(ctx, t); err != nil {
			return result.Sample{}, err
		}
	}
	e.atStep(t.trial, "workload", w.Name)
	sample, err := e.sample(ctx, t, w, position)
	sample.CacheState = string(state)
	return sample, err
}

// layOut writes what the workload will read or overwrite, if its tool needs that.
func (e *Engine) layOut(ctx context.Context, t *target, w v1alpha1.Workload) error {
	if w.Pool != nil {
		return nil
	}
	program, err := toolOf(w)
	if err != nil {
		return step(v1alpha1.ReasonRunnerFailed, "run workload "+w.Name, err)
	}
	if !program.needsLayout() {
		return nil
	}
	e.atStep(t.trial, "lay out files", w.Name)
	if _, err := e.runTool(ctx, t, w, runOptions{layout: true}); err != nil {
		return step(v1alpha1.ReasonWorkloadFailed, "lay out files for workload "+w.Name, err)
	}
	return e.storage(t).sync(ctx, t)
}

// perform runs the workload's tool, or does with the pool what it asks for.
func (e *Engine) perform(ctx context.Context, t *target, w v1alpha1.Workload, o runOptions) (toolRun, error) {
	if w.Pool != nil {
		return e.operate(ctx, t, w, o)
	}
	if w.During != nil {
		return e.meanwhile(ctx, t, w, o)
	}
	return e.runTool(ctx, t, w, o)
}

// sample runs the workload between two readings of the counters. What is still in memory at its end is written out before the second reading of the
// counters of bytes.
func (e *Engine) sample(ctx context.Context, t *target, w v1alpha1.Workload, position int) (result.Sample, error) {
	doing := "read the counters for workload " + w.Name
	before, err := e.bytesMoved(t)
	if err != nil {
		return result.Sample{}, step(v1alpha1.ReasonRunnerFailed, doing, err)
	}
	var readBefore reading
	seen := e.newObserver(t)
	run, err := e.perform(ctx, t, w, runOptions{position: position, ready: func() {
		readBefore = e.readBefore(t)
		seen.begin()
	}})
	seen.end()
	readAfter := e.readAfter(t)
	if err != nil {
		return result.Sample{}, step(reasonOf(err, v1alpha1.ReasonWorkloadFailed), "run workload "+w.Name, err)
	}
	s := run.sample
	if err := e.storage(t).sync(ctx, t); err != nil {
		return result.Sample{}, err
	}
	after, errBytes := e.bytesMoved(t)
	s.Workload, s.Argv, s.JobFile, s.ToolCPUSeconds = w.Name, run.argv, run.input, run.cpu.Seconds()
	if err := errors.Join(e.between(readBefore, readAfter, &s), errBytes); err != nil {
		return result.Sample{}, step(v1alpha1.ReasonRunnerFailed, doing, err)
	}
	devices, direct := after.devices.Sub(before.devices), after.direct.Sub(before.direct)
	s.DeviceReadBytes, s.DeviceWrittenBytes = devices.Read, devices.Written
	s.DeviceReads, s.DeviceWrites = devices.Reads, devices.Writes
	s.DirectReadBytes, s.DirectWrittenBytes = direct.Read, direct.Written
	seen.tell(w, &s)
	err = e.storage(t).describe(ctx, t, &s)
	return s, err
}
