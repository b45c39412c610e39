// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/runner/failure"
	"zfsbench.io/operator/internal/runner/preflight"
	"zfsbench.io/operator/internal/runner/target"
	"zfsbench.io/operator/internal/storage/zfs/module"
)

// parametersBefore are the parameters that a trial may change, as they are now.
func (e *Engine) parametersBefore(v plan.Variant) ([]result.ModuleParameter, error) {
	var before []result.ModuleParameter
	for _, name := range module.Affected(slices.Collect(maps.Keys(v.ModuleParameters))) {
		now, err := e.parameter(name)
		if err != nil {
			return nil, err
		}
		before = append(before, now)
	}
	return before, nil
}

func (e *Engine) parameter(name string) (result.ModuleParameter, error) {
	value, errValue := e.Parameters.Get(name)
	inEffect, errEffect := e.Parameters.InEffect(name)
	return result.ModuleParameter{Name: name, Value: value, InEffect: inEffect}, errors.Join(errValue, errEffect)
}

// recordParameters adds to the intent what setParameters is about to change.
func (e *Engine) recordParameters(t *target.Target) error {
	if len(t.Variant.ModuleParameters) == 0 {
		return nil
	}
	var errBefore, errBoot error
	t.Own.ModuleParameters, errBefore = e.parametersBefore(t.Variant)
	t.Own.BootID, errBoot = e.Parameters.BootID()
	return failure.Wrap(v1alpha1.ReasonPreflightFailed, "read the module parameters", errors.Join(errBefore, errBoot))
}

// setParameters sets the variant's parameters, and makes sure that they are in effect: OpenZFS ignores some values
// without an error.
func (e *Engine) setParameters(ctx context.Context, t *target.Target) error {
	const doing = "set the module parameters"
	if len(t.Variant.ModuleParameters) == 0 {
		return nil
	}
	if err := preflight.RefuseForeignPools(ctx, e.Pools); err != nil {
		return failure.Wrap(v1alpha1.ReasonPreflightFailed, doing, err)
	}
	names := slices.Sorted(maps.Keys(t.Variant.ModuleParameters))
	for _, name := range names {
		if err := e.Parameters.Set(name, string(t.Variant.ModuleParameters[name])); err != nil {
			return failure.Wrap(v1alpha1.ReasonPreflightFailed, doing, err)
		}
	}
	t.Parameters = map[string]string{}
	for _, name := range names {
		now, err := e.parameter(name)
		if err == nil && now.InEffect != "" && now.InEffect != now.Value {
			err = fmt.Errorf("%s is %s, but OpenZFS goes on with %s: the value is out of bounds on this node", name, now.Value,
				now.InEffect)
		}
		if err != nil {
			return failure.Wrap(v1alpha1.ReasonPreflightFailed, doing, err)
		}
		t.Parameters[name] = now.Value
	}
	return nil
}

// restoreParameters makes the recorded parameters what they were. Only what has another value is written to, so it can
// be done again; after a reboot they are as the node's configuration wants them.
func (e *Engine) restoreParameters(own result.Ownership) error {
	const doing = "restore the module parameters"
	if len(own.ModuleParameters) == 0 {
		return nil
	}
	boot, err := e.Parameters.BootID()
	if err != nil {
		return failure.Wrap(v1alpha1.ReasonCleanupFailed, doing, err)
	}
	if boot != own.BootID {
		e.Log.Info("the module parameters went with the boot", "recorded", own.BootID, "boot", boot)
		return nil
	}
	failed := e.putBack(own.ModuleParameters)
	var errs []error
	for _, before := range own.ModuleParameters {
		now, err := e.parameter(before.Name)
		if err == nil && now != before {
			err = fmt.Errorf("%s is %s, it should be %s", before.Name, valueText(now), valueText(before))
		}
		if err != nil {
			errs = append(errs, errors.Join(err, failed[before.Name]))
		}
	}
	return failure.Wrap(v1alpha1.ReasonCleanupFailed, doing, errors.Join(errs...))
}

// putBack writes what was in effect, and then what the parameters said: see module.InEffect.
func (e *Engine) putBack(parameters []result.ModuleParameter) map[string]error {
	failed := map[string]error{}
	for _, before := range parameters {
		if now, err := e.Parameters.InEffect(before.Name); err == nil && now != before.InEffect {
			failed[before.Name] = e.Parameters.Set(before.Name, before.InEffect)
		}
	}
	for _, before := range parameters {
		failed[before.Name] = errors.Join(failed[before.Name], e.Parameters.Set(before.Name, before.Value))
	}
	return failed
}

// valueText is a parameter's value, with what is in effect if that is another.
func valueText(p result.ModuleParameter) string {
	if p.InEffect == "" || p.InEffect == p.Value {
		return p.Value
	}
	return fmt.Sprintf("%s (in effect %s)", p.Value, p.InEffect)
}
