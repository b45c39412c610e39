// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"errors"
	"fmt"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/runner/ownership"
)

// operable is storage that workloads can do something with in place of running a tool on it.
type operable interface {
	storage
	// operationTool is what samples call the tool of an operation, and its version.
	operationTool(w v1alpha1.Workload) (name, version string)
	// operationOf is what a workload asks for; nil if that cannot be done.
	operationOf(w v1alpha1.Workload) func(context.Context, *target) (operated, error)
	// proveOwn returns nil if what is recorded as owned is there, and provably is what it was made as.
	proveOwn(ctx context.Context, t *target) error
	// fills is what a workload can fill with files; nil if it cannot.
	fills() fillable
}

// operated is an operation that ended well.
type operated struct {
	argv   []string
	phases []result.Phase
}

// operableOf is what a workload does something with, proved to be ours right before.
func (e *Engine) operableOf(ctx context.Context, t *target, w v1alpha1.Workload) (operable, error) {
	s, can := e.storage(t).(operable)
	if can && w.Pool != nil && w.Pool.Fill != nil {
		can = s.fills() != nil
	} else if can {
		can = s.operationOf(w) != nil
	}
	if !can {
		return nil, fmt.Errorf("this runner cannot do that with %s", ownership.Describe(t.own))
	}
	return s, s.proveOwn(ctx, t)
}

// operate does with what a workload runs on what it asks for, and times it.
func (e *Engine) operate(ctx context.Context, t *target, run plan.Run, o runOptions) (toolRun, error) {
	w := run.Workload
	s, err := e.operableOf(ctx, t, w)
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

// timed is a phase that counts as one operation, without a rate in bytes.
func (h *host) timed(name v1alpha1.Operation, do func() error) (result.Phase, error) {
	begin := h.Now()
	err := do()
	return lasting(result.Phase{Name: string(name), Operation: result.Operation{IOs: 1}},
		h.Now().Sub(begin).Nanoseconds()), err
}

// lasting is a phase of one operation that took so long.
func lasting(p result.Phase, nanoseconds int64) result.Phase {
	p.RuntimeNanoseconds = max(1, nanoseconds)
	p.IOPS = 1e9 / float64(p.RuntimeNanoseconds)
	return p
}

// moving says how many bytes a phase has moved, if any are known: then they are its rate.
func moving(p result.Phase, bytes int64, reads bool) result.Phase {
	if bytes > 0 {
		p.IOs, p.IOPS = 0, 0
		p.Bytes, p.Reads, p.BandwidthBytesPerSecond = bytes, reads, float64(bytes)/float64(p.RuntimeNanoseconds)*1e9
	}
	return p
}
