// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"errors"

	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
)

// operate does with what a workload runs on what it asks for, and times it.
func (e *Engine) operate(ctx context.Context, t *target, run plan.Run, o runOptions) (toolRun, error) {
	w := run.Workload
	s, err := e.host.operableOf(ctx, t, w)
	if err != nil {
		return toolRun{}, err
	}
	if w.Pool.Fill != nil {
		return e.fill(ctx, t, s.fills(), run, o)
	}
	name, version := s.operationTool(w)
	ctx, cancel := e.withToolDeadline(ctx, w, name)
	defer cancel()
	o.ready()
	done, err := s.operationOf(w)(ctx, t)
	if err != nil {
		if stopped := context.Cause(ctx); stopped != nil && !errors.Is(err, stopped) {
			err = errors.Join(stopped, err)
		}
		return toolRun{}, err
	}
	sample := result.Sample{Tool: name, ToolVersion: version, Phases: done.phases}
	for _, p := range done.phases {
		sample.RuntimeNanoseconds += p.RuntimeNanoseconds
	}
	return toolRun{argv: done.argv, sample: sample}, nil
}
