// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"errors"
	"fmt"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/fio"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/zfs"
)

// measure runs all workloads of a trial in order and collects their samples; the first that fails ends it. A pool that is suspended, or has lost a device, ends it promptly,
// because what waits for it may never end.
func (e *Engine) measure(ctx context.Context, t *target, trial *result.Trial) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	go e.watch(ctx, t, stop)
	for i, w := range e.plan.Workloads {
		sample, err := e.workload(ctx, t, w, i)
		if err != nil {
			return errors.Join(e.brokenPool(t), err)
		}
		t.measured = append(t.measured, bandwidthOf(sample))
		if err := e.checkUndisturbed(ctx, t, w); err != nil {
			return errors.Join(e.brokenPool(t), err)
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

// workload brings the pool into the state that a workload asks for, and measures it.
func (e *Engine) workload(ctx context.Context, t *target, w v1alpha1.Workload, position int) (result.Sample, error) {
	if w.Fio == nil {
		return result.Sample{}, step(v1alpha1.ReasonRunnerFailed, "run workload "+w.Name, errors.New("this runner knows only fio"))
	}
	if fio.NeedsLayout(*w.Fio) {
		e.atStep(t.trial, "lay out files", w.Name)
		if err := e.layOut(ctx, t, w); err != nil {
			return result.Sample{}, err
		}
	}
	state := v1alpha1.CacheWarm
	if w.Cache != v1alpha1.CacheWarm {
		state = v1alpha1.CacheCold
		e.atStep(t.trial, "empty the cache", w.Name)
		if err := e.emptyCache(ctx, t); err != nil {
			return result.Sample{}, err
		}
	}
	e.atStep(t.trial, "workload", w.Name)
	sample, err := e.sample(ctx, t, w, position)
	sample.CacheState = string(state)
	return sample, err
}

// layOut writes what the workload will read or overwrite.
func (e *Engine) layOut(ctx context.Context, t *target, w v1alpha1.Workload) error {
	if _, err := e.runFio(ctx, t, w, fioOptions{layout: true}); err != nil {
		return step(v1alpha1.ReasonWorkloadFailed, "lay out files for workload "+w.Name, err)
	}
	return step(v1alpha1.ReasonPoolFailed, "sync the pool", e.Pools.Sync(ctx, t.pool()))
}

// emptyCache takes the pool's data out of the ARC, which only an export does, and file devices out of the page cache.
func (e *Engine) emptyCache(ctx context.Context, t *target) error {
	const doing = "empty the cache by exporting and importing the pool"
	// An export would take its mount from what somebody else has made in the pool.
	if err := e.proveDatasets(ctx, t.own, t.pool()); err != nil {
		return step(v1alpha1.ReasonPoolFailed, doing, err)
	}
	if !t.isVolume() {
		unmount := func() error { return e.Mounts.Unmount(e.ws.target()) }
		if err := e.retryBusy(ctx, func() error { return e.bounded(ctx, unmount) }); err != nil {
			return step(v1alpha1.ReasonPoolFailed, doing, err)
		}
	}
	if err := e.retryBusy(ctx, func() error { return e.Pools.Export(ctx, t.pool(), t.own.PoolGUID) }); err != nil {
		return step(v1alpha1.ReasonPoolFailed, doing, err)
	}
	if err := e.dropFromPageCache(t); err != nil {
		return step(v1alpha1.ReasonPoolFailed, doing, err)
	}
	back := zfs.Import{GUID: t.own.PoolGUID, Name: t.pool(), Dirs: searchIn(t.own.Devices)}
	if err := e.retryBusy(ctx, func() error { return e.Pools.Import(ctx, back) }); err != nil {
		return step(v1alpha1.ReasonPoolFailed, doing, err)
	}
	return e.mount(ctx, t)
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
	run, err := e.runFio(ctx, t, w, fioOptions{position: position, ready: func() { readBefore = e.readBefore(t) }})
	readAfter := e.readAfter(t)
	if err != nil {
		return result.Sample{}, step(v1alpha1.ReasonWorkloadFailed, "run workload "+w.Name, err)
	}
	s, err := run.report.Sample()
	if err != nil {
		return result.Sample{}, &stepError{reason: v1alpha1.ReasonWorkloadFailed, doing: "run workload " + w.Name, err: err, tail: run.tail}
	}
	if err := e.Pools.Sync(ctx, t.pool()); err != nil {
		return result.Sample{}, step(v1alpha1.ReasonPoolFailed, "sync the pool", err)
	}
	after, errBytes := e.bytesMoved(t)
	s.Workload, s.Argv, s.JobFile, s.ToolCPUSeconds = w.Name, run.argv, run.jobFile, run.cpu.Seconds()
	if err := errors.Join(e.between(readBefore, readAfter, &s), errBytes); err != nil {
		return result.Sample{}, step(v1alpha1.ReasonRunnerFailed, doing, err)
	}
	devices, direct := after.devices.Sub(before.devices), after.direct.Sub(before.direct)
	s.DeviceReadBytes, s.DeviceWrittenBytes = devices.Read, devices.Written
	s.DirectReadBytes, s.DirectWrittenBytes = direct.Read, direct.Written
	s.Pool, err = e.poolFacts(ctx, t)
	return s, err
}

// poolFacts reads the state of the pool. Its labels can be out of reach for a moment on a busy node; the other facts count without them.
func (e *Engine) poolFacts(ctx context.Context, t *target) (result.PoolFacts, error) {
	facts, err := e.Pools.PoolFacts(ctx, t.pool(), t.dataset())
	if err != nil && facts.Health == "" {
		return facts, step(v1alpha1.ReasonPoolFailed, fmt.Sprintf("read the facts of pool %s", t.pool()), err)
	}
	if err != nil {
		e.Log.Warn("some facts of the pool are missing", "pool", t.pool(), "error", err)
	}
	return facts, nil
}
