// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/runner/target"
	"zfsbench.io/operator/internal/runner/toolrun"
	"zfsbench.io/operator/internal/tools/fill"
)

// filling is the state of a workload that fills a target.
type filling struct {
	*Engine
	filled  target.Fillable
	target  *target.Target
	of      plan.Run
	options toolrun.Options
	run     toolrun.Run
	// phases are the sums of the rounds, one phase for each operation.
	phases []result.Phase
	rounds int
}

// fill writes in rounds until the target is as full as requested: how much space data takes is only known after it is
// written. The tool in the sandbox sees the filesystem, but not how full the pool is.
func (e *Engine) fill(ctx context.Context, t *target.Target, s target.Fillable, of plan.Run,
	o toolrun.Options) (toolrun.Run, error) {
	before, err := s.Fullness(ctx, t)
	if err != nil {
		return toolrun.Run{}, err
	}
	level, err := fill.NewLevel(of.Workload.Pool.Fill.Percent, target.SpaceOf(before))
	if err != nil {
		return toolrun.Run{}, err
	}
	f := &filling{Engine: e, filled: s, target: t, of: of, options: o}
	if err := f.toLevel(ctx, level); err != nil {
		return toolrun.Run{}, err
	}
	if of.Workload.Pool.Fill.Overwrites() > 0 {
		if err := f.overwrite(ctx); err != nil {
			return toolrun.Run{}, err
		}
	}
	after, err := s.Fullness(ctx, t)
	if err != nil {
		return toolrun.Run{}, err
	}
	f.run.Sample.Phases, f.run.Sample.Filled = f.phases, &result.Filled{Before: before, After: after}
	f.run.Sample.RuntimeNanoseconds = 0
	for _, p := range f.phases {
		f.run.Sample.RuntimeNanoseconds += p.RuntimeNanoseconds
	}
	return f.run, nil
}

// toLevel writes files until the level is reached, or there is no space left.
func (f *filling) toLevel(ctx context.Context, level *fill.Level) error {
	for {
		bytes, err := level.Next()
		if err != nil || bytes == 0 {
			return err
		}
		done, err := f.round(ctx, fill.Round{Bytes: bytes})
		if err != nil {
			return err
		}
		f.target.Filled += done.Bytes
		if done.Ended != "" {
			return nil
		}
		space, err := f.filled.Space(ctx, f.target)
		if err != nil {
			return err
		}
		level.Wrote(done.Bytes, space)
	}
}

// overwrite overwrites the requested share of what all fill operations of the trial have written so far.
func (f *filling) overwrite(ctx context.Context) error {
	bytes := max(1, f.target.Filled/100*int64(f.of.Workload.Pool.Fill.Overwrites()))
	_, err := f.round(ctx, fill.Round{Bytes: bytes, Overwrite: true})
	return err
}

// round runs the tool once, waits until what it wrote is on the disks, and adds it to its phase.
func (f *filling) round(ctx context.Context, r fill.Round) (result.Phase, error) {
	r.Number = f.rounds
	f.rounds++
	run, err := f.toolRunner().RunProgram(ctx, f.toolTarget(f.target), f.of, fill.ToolOf(f.of.Workload.Name, r), f.options)
	if err != nil {
		return result.Phase{}, err
	}
	f.options.Ready = nil // the counters are read only before the first round
	if len(run.Sample.Phases) != 1 {
		return result.Phase{}, fmt.Errorf("the tool that writes files reports %d phases instead of one",
			len(run.Sample.Phases))
	}
	done := run.Sample.Phases[0]
	if done.Bytes == 0 {
		return result.Phase{}, errors.New("no space is left: nothing could be written")
	}
	begin := f.Now()
	if err := f.filled.Flush(ctx, f.target); err != nil {
		return result.Phase{}, err
	}
	done.SyncNanoseconds = f.Now().Sub(begin).Nanoseconds()
	f.add(run, done)
	return done, nil
}

// add adds a round to the run and to its phase.
func (f *filling) add(run toolrun.Run, done result.Phase) {
	argv, cpu := f.run.Argv, f.run.CPU
	if len(argv) > 0 {
		argv = append(slices.Clone(argv), "&&")
	}
	f.run = toolrun.Run{Argv: append(argv, run.Argv...), Sample: run.Sample, CPU: cpu + run.CPU}
	last := len(f.phases) - 1
	if last < 0 || f.phases[last].Name != done.Name {
		f.phases = append(f.phases, done)
		return
	}
	p := &f.phases[last]
	p.Bytes, p.IOs, p.SyncNanoseconds, p.Ended = p.Bytes+done.Bytes, p.IOs+done.IOs,
		p.SyncNanoseconds+done.SyncNanoseconds, done.Ended
	p.RuntimeNanoseconds += done.RuntimeNanoseconds
	p.BandwidthBytesPerSecond, p.IOPS = float64(p.Bytes)/float64(p.RuntimeNanoseconds)*1e9,
		float64(p.IOs)/float64(p.RuntimeNanoseconds)*1e9
}
