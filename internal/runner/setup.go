// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"fmt"

	"zfsbench.io/operator/internal/runner/failure"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/runner/ownership"
)

// setUp makes what a trial's workloads run on, or takes over what the trial before has left for it. From the recording
// of the intent on, whatever it returns has to be torn down.
func (e *Engine) setUp(ctx context.Context, t plan.Trial) (*target, error) {
	variant, found := e.plan.Variant(t.Variant)
	if !found {
		return nil, failure.Wrap(v1alpha1.ReasonRunnerFailed, "find the trial's variant",
			fmt.Errorf("the plan has no variant %q", t.Variant))
	}
	if kept := e.kept; kept != nil {
		e.kept = nil
		return e.takeOver(ctx, *kept, t)
	}
	tgt := &target{trial: t, variant: variant, paths: map[string]string{}}
	for _, do := range []setUpStep{
		{"check devices", e.claim},
		{"prepare devices", e.prepareDevices},
		{"set module parameters", e.setParameters},
	} {
		e.atStep(t, do.name, "")
		if err := do.run(ctx, tgt); err != nil {
			return tgt, err
		}
	}
	return tgt, e.watched(ctx, tgt, func(ctx context.Context) error {
		for _, do := range e.host.storage(tgt).steps() {
			e.atStep(t, do.name, "")
			if err := do.run(ctx, tgt); err != nil {
				return err
			}
		}
		return nil
	})
}

// claim checks the trial's disks and records, here and at the sink, what is about to be owned, and which module
// parameters may change. Nothing has been written to a device or a parameter when it returns.
func (e *Engine) claim(ctx context.Context, t *target) error {
	devices := e.plan.DevicesOf(t.variant)
	t.verdicts = e.disksOf(ctx, devices)
	for _, verdict := range t.verdicts {
		if verdict.Refusal != nil {
			return failure.Wrap(v1alpha1.ReasonDeviceRefused, "use the disks", verdict.Refusal)
		}
	}
	t.own = ownership.Intent(e.plan, e.digest, t.trial, t.variant, e.ws, e.newGUID)
	if err := e.recordParameters(t); err != nil {
		return err
	}
	return e.host.record(ctx, t.own)
}
