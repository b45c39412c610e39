// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/runner/target"
	"zfsbench.io/operator/internal/runner/toolrun"
	"zfsbench.io/operator/internal/tools/fio"
)

// operatedMeanwhile is the result of an operation that ran at the same time as a tool.
type operatedMeanwhile struct {
	target.Operated
	err   error
	ended time.Time
}

// meanwhile runs a workload's tool and, from the tool's start, an operation on the same target. If one fails, the other
// is ended.
func (e *Engine) meanwhile(ctx context.Context, t *target.Target, of plan.Run, o toolrun.Options) (toolrun.Run, error) {
	w := of.Workload
	s, err := e.host.OperableOf(ctx, t, w)
	if err != nil {
		return toolrun.Run{}, err
	}
	do := s.OperationOf(w)
	name, _ := s.OperationTool(w)
	program, err := toolrun.Of(w)
	if err != nil {
		return toolrun.Run{}, err
	}
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	ended, over := make(chan operatedMeanwhile, 1), make(chan struct{})
	var began atomic.Bool
	ready := o.Ready
	o.Interrupt = over
	o.Ready = func() {
		ready()
		began.Store(true)
		go func() {
			ctx, cancel := e.toolRunner().WithDeadline(ctx, w, name)
			defer cancel()
			done, err := do(ctx, t)
			ended <- operatedMeanwhile{done, err, e.Now()}
			if err != nil {
				fail(err)
				return
			}
			close(over)
		}()
	}
	run, err := e.toolRunner().RunProgram(ctx, e.toolTarget(t), of, program, o)
	toolEnded := e.Now()
	if err != nil {
		fail(err)
	}
	if !began.Load() {
		return toolrun.Run{}, err
	}
	beside := <-ended
	if toolrun.IsClosed(over) && errors.Is(err, fio.ErrNoIO) {
		err = fmt.Errorf("the operation beside the workload ended before the workload had measured anything: give it more "+
			"data to work on, or set a shorter rampTime and startDelay: %w", err)
	}
	if err := errors.Join(beside.err, err); err != nil {
		return toolrun.Run{}, err
	}
	return withDuring(run, beside, toolEnded)
}

// withDuring adds to a run the operation that ran at the same time.
func withDuring(run toolrun.Run, beside operatedMeanwhile, toolEnded time.Time) (toolrun.Run, error) {
	if len(beside.Phases) != 1 {
		return toolrun.Run{}, fmt.Errorf("the operation reports %d phases instead of one", len(beside.Phases))
	}
	d := &result.During{Argv: beside.Argv, Phase: beside.Phases[0]}
	if alone := beside.ended.Sub(toolEnded); alone > 0 {
		d.AloneNanoseconds = min(alone.Nanoseconds(), d.RuntimeNanoseconds)
	} else {
		d.Interrupted = true
	}
	run.Sample.During = d
	return run, nil
}
