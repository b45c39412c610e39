// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"fmt"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/runner/failure"
	"zfsbench.io/operator/internal/runner/ownership"
	"zfsbench.io/operator/internal/runner/parameters"
	"zfsbench.io/operator/internal/runner/target"
)

// setUp makes a trial's target, or takes over the target of the trial before. Once the intent is recorded, whatever it
// returns has to be torn down, also with an error.
func (e *Engine) setUp(ctx context.Context, t plan.Trial) (*target.Target, error) {
	variant, found := e.plan.Variant(t.Variant)
	if !found {
		return nil, failure.Wrap(v1alpha1.ReasonRunnerFailed, "find the trial's variant",
			fmt.Errorf("the plan has no variant %q", t.Variant))
	}
	if kept := e.kept; kept != nil {
		e.kept = nil
		return e.takeOver(ctx, *kept, t)
	}
	tgt := &target.Target{Trial: t, Variant: variant, Paths: map[string]string{}}
	for _, do := range []target.Step{
		{Name: "check devices", Run: e.claim},
		{Name: "prepare devices", Run: e.prepareDevices},
		{Name: "set module parameters", Run: e.setParameters},
	} {
		e.atStep(t, do.Name, "")
		if err := do.Run(ctx, tgt); err != nil {
			return tgt, err
		}
	}
	return tgt, e.watched(ctx, tgt, func(ctx context.Context) error {
		for _, do := range e.host.Storage(tgt).Steps() {
			e.atStep(t, do.Name, "")
			if err := do.Run(ctx, tgt); err != nil {
				return err
			}
		}
		return nil
	})
}

// claim checks the trial's disks. Then it records, on the node and at the sink, what is about to be owned and which
// module parameters may change. When it returns, nothing has been written to a device or a parameter.
func (e *Engine) claim(ctx context.Context, t *target.Target) error {
	devices := e.plan.DevicesOf(t.Variant)
	t.Verdicts = e.disksOf(ctx, devices)
	for _, verdict := range t.Verdicts {
		if verdict.Refusal != nil {
			return failure.Wrap(v1alpha1.ReasonDeviceRefused, "use the disks", verdict.Refusal)
		}
	}
	t.Own = ownership.Intent(e.plan, e.digest, t.Trial, t.Variant, e.ws, e.newGUID)
	if err := e.parameters().Record(t.Variant, &t.Own); err != nil {
		return err
	}
	return e.host.Record(ctx, t.Own)
}

func (e *Engine) setParameters(ctx context.Context, t *target.Target) (err error) {
	t.Parameters, err = e.parameters().Set(ctx, t.Variant)
	return err
}

func (e *Engine) parameters() parameters.Node {
	return parameters.Node{Module: e.Parameters, Pools: e.Pools, Log: e.Log}
}
