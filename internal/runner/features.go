// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"slices"

	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/runner/target"
)

// features says what a trial's filesystem can do, if the benchmark compares filesystems. It is found out once for each
// variant, after the last workload of its first trial, or of the last trial on a pool or filesystem that several share:
// another kind of file may change how a filesystem goes on. It only adds to a result: what cannot be found out is
// missing there.
func (e *Engine) features(ctx context.Context, t *target.Target) *result.Features {
	hasBaseline := func(v plan.Variant) bool { return v.Baseline != nil }
	if t.Device != "" || !slices.ContainsFunc(e.plan.Variants, hasBaseline) {
		return nil
	}
	if known := e.found[t.Variant.Name]; known != nil {
		return known
	}
	if e.mayShareNext(t.Trial) {
		return nil // what could not be put back must not change what comes after
	}
	e.atStep(t.Trial, "look at the filesystem", "")
	found, err := e.host.FindFeatures(ctx, t)
	if err != nil {
		e.Log.Warn("some features of the filesystem are not known", "variant", t.Variant.Name, "error", err)
	}
	e.found[t.Variant.Name] = found // nil is not known: the next trial may find it out
	return found
}
