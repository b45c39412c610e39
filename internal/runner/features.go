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
// variant, after the last workload of its first trial. If several trials share a pool or filesystem, it waits for the
// last of them: files of another kind may change how the filesystem behaves. What cannot be found out is only missing
// in the result.
func (e *Engine) features(ctx context.Context, t *target.Target) *result.Features {
	hasBaseline := func(v plan.Variant) bool { return v.Baseline != nil }
	if t.Device != "" || !slices.ContainsFunc(e.plan.Variants, hasBaseline) {
		return nil
	}
	if known := e.found[t.Variant.Name]; known != nil {
		return known
	}
	if e.mayShareNext(t.Trial) {
		return nil // changes that cannot be undone must not affect later trials
	}
	e.atStep(t.Trial, "examine the filesystem", "")
	found, err := e.host.FindFeatures(ctx, t)
	if err != nil {
		e.Log.Warn("some features of the filesystem are not known", "variant", t.Variant.Name, "error", err)
	}
	e.found[t.Variant.Name] = found // nil means unknown: the next trial tries again
	return found
}
