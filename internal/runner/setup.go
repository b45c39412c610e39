// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"fmt"
	"time"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/runner/ownership"
)

// setUp makes what a trial's workloads run on, or takes over what the trial before has left for it. From the recording
// of the intent on, whatever it returns has to be torn down.
func (e *Engine) setUp(ctx context.Context, t plan.Trial) (*target, error) {
	variant, found := e.plan.Variant(t.Variant)
	if !found {
		return nil, step(v1alpha1.ReasonRunnerFailed, "find the trial's variant",
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
		for _, do := range e.storage(tgt).steps() {
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
			return step(v1alpha1.ReasonDeviceRefused, "use the disks", verdict.Refusal)
		}
	}
	t.own = ownership.Intent(e.plan, e.digest, t.trial, t.variant, e.ws, e.newGUID)
	if err := e.recordParameters(t); err != nil {
		return err
	}
	return e.record(ctx, t.own)
}

// record puts ownership into the journal and then to the sink.
func (h *host) record(ctx context.Context, own result.Ownership) error {
	if err := h.journal.RecordOwned(own); err != nil {
		return step(v1alpha1.ReasonRunnerFailed, "record what the trial owns on the node", err)
	}
	if err := h.Sink.PutOwnership(ctx, own); err != nil {
		return step(v1alpha1.ReasonRunnerFailed, "record what the trial owns", err)
	}
	return nil
}

// bounded runs something that takes no context and may wait in the kernel for ever, as everything that touches a
// suspended pool. It is left behind only when it does not return for some time after the context has ended: what takes
// effect later would escape the teardown.
func (h *host) bounded(ctx context.Context, do func() error) error {
	done := make(chan error, 1)
	go func() { done <- do() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	patience := time.NewTimer(h.timings.kernelPatience)
	defer patience.Stop()
	select {
	case err := <-done:
		return err
	case <-patience.C:
		return fmt.Errorf("it does not return: %w", context.Cause(ctx))
	}
}

// textProperties are an API's properties as the tools take them.
func textProperties[M ~map[string]v1alpha1.PropertyValue](in M) map[string]string {
	out := make(map[string]string, len(in))
	for name, value := range in {
		out[name] = string(value)
	}
	return out
}
