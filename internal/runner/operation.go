// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"errors"

	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/runner/target"
	"zfsbench.io/operator/internal/runner/toolrun"
)

// operate runs the operation that a workload requests on its target, and times it.
func (e *Engine) operate(ctx context.Context, t *target.Target, run plan.Run, o toolrun.Options) (toolrun.Run, error) {
	w := run.Workload
	s, err := e.host.OperableOf(ctx, t, w)
	if err != nil {
		return toolrun.Run{}, err
	}
	if w.Pool.Fill != nil {
		return e.fill(ctx, t, s.Fills(), run, o)
	}
	name, version := s.OperationTool(w)
	ctx, cancel := e.toolRunner().WithDeadline(ctx, w, name)
	defer cancel()
	o.Ready()
	done, err := s.OperationOf(w)(ctx, t)
	if err != nil {
		if stopped := context.Cause(ctx); stopped != nil && !errors.Is(err, stopped) {
			err = errors.Join(stopped, err)
		}
		return toolrun.Run{}, err
	}
	sample := result.Sample{Tool: name, ToolVersion: version, Phases: done.Phases}
	for _, p := range done.Phases {
		sample.RuntimeNanoseconds += p.RuntimeNanoseconds
	}
	return toolrun.Run{Argv: done.Argv, Sample: sample}, nil
}
