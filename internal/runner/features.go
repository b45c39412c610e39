// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/text/human"
)

// features says what a trial's filesystem can do, if the benchmark compares filesystems. It is found out once for each
// variant, after the last workload of its first trial, or of the last trial on a pool or filesystem that several share:
// another kind of file may change how a filesystem goes on. It only adds to a result: what cannot be found out is
// missing there.
func (e *Engine) features(ctx context.Context, t *target) *result.Features {
	hasBaseline := func(v plan.Variant) bool { return v.Baseline != nil }
	if t.device != "" || !slices.ContainsFunc(e.plan.Variants, hasBaseline) {
		return nil
	}
	if known := e.found[t.variant.Name]; known != nil {
		return known
	}
	if e.mayShareNext(t.trial) {
		return nil // what could not be put back must not change what comes after
	}
	e.atStep(t.trial, "look at the filesystem", "")
	found, err := e.findFeatures(ctx, t)
	if err != nil {
		e.Log.Warn("some features of the filesystem are not known", "variant", t.variant.Name, "error", err)
	}
	e.found[t.variant.Name] = found // nil is not known: the next trial may find it out
	return found
}

// findFeatures is nil where nothing is known.
func (e *Engine) findFeatures(ctx context.Context, t *target) (*result.Features, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, e.timings.inspectionDeadline,
		fmt.Errorf("it had not answered after %s", human.Duration(e.timings.inspectionDeadline)))
	defer cancel()
	on := e.storage(t)
	sync := func() error { return on.sync(ctx, t) }
	var found result.Features
	var problem error
	err := e.bounded(ctx, func() error {
		found, problem = e.Baselines.Features(e.ws.Target(), on.ownsFilesystem(), sync)
		return nil
	})
	if err == nil {
		problem = errors.Join(problem, on.addFeatures(ctx, t, &found))
	}
	if err == nil {
		// What was removed is not left to what takes the filesystem away, which is timed.
		err = sync()
	}
	switch {
	case err != nil:
		return nil, err
	case found == (result.Features{}):
		return nil, problem
	default:
		return &found, problem
	}
}
