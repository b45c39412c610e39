// SPDX-License-Identifier: Apache-2.0

package parameters

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/runner/failure"
	"zfsbench.io/operator/internal/runner/preflight"
	"zfsbench.io/operator/internal/storage/zfs/module"
)

// Module reads and sets parameters of OpenZFS's kernel modules; module.Parameters is the real one.
type Module interface {
	// Check returns nil if a parameter can be set; it writes nothing.
	Check(name string) error
	Get(name string) (string, error)
	// InEffect is the number that OpenZFS really uses, for a parameter where it may differ from the value; else empty.
	InEffect(name string) (string, error)
	Set(name, value string) error
	BootID() (string, error)
}

// Node sets and restores the module parameters of the node.
type Node struct {
	Module Module
	// Pools says whether other pools are imported.
	Pools preflight.Pools
	Log   *slog.Logger
}

// before are the parameters that a trial may change, as they are now.
func (n Node) before(v plan.Variant) ([]result.ModuleParameter, error) {
	var before []result.ModuleParameter
	for _, name := range module.Affected(slices.Collect(maps.Keys(v.ModuleParameters))) {
		now, err := n.parameter(name)
		if err != nil {
			return nil, err
		}
		before = append(before, now)
	}
	return before, nil
}

func (n Node) parameter(name string) (result.ModuleParameter, error) {
	value, errValue := n.Module.Get(name)
	inEffect, errEffect := n.Module.InEffect(name)
	return result.ModuleParameter{Name: name, Value: value, InEffect: inEffect}, errors.Join(errValue, errEffect)
}

// Record adds the parameters that Set is about to change, with their values, to the intent.
func (n Node) Record(v plan.Variant, own *result.Ownership) error {
	if len(v.ModuleParameters) == 0 {
		return nil
	}
	var errBefore, errBoot error
	own.ModuleParameters, errBefore = n.before(v)
	own.BootID, errBoot = n.Module.BootID()
	return failure.Wrap(v1alpha1.ReasonPreflightFailed, "read the module parameters", errors.Join(errBefore, errBoot))
}

// Set sets the variant's parameters, and makes sure that they are in effect: OpenZFS ignores some values without an
// error. It returns the values that the module then shows.
func (n Node) Set(ctx context.Context, v plan.Variant) (map[string]string, error) {
	const doing = "set the module parameters"
	if len(v.ModuleParameters) == 0 {
		return nil, nil
	}
	if err := preflight.RefuseForeignPools(ctx, n.Pools); err != nil {
		return nil, failure.Wrap(v1alpha1.ReasonPreflightFailed, doing, err)
	}
	names := slices.Sorted(maps.Keys(v.ModuleParameters))
	for _, name := range names {
		if err := n.Module.Set(name, string(v.ModuleParameters[name])); err != nil {
			return nil, failure.Wrap(v1alpha1.ReasonPreflightFailed, doing, err)
		}
	}
	set := map[string]string{}
	for _, name := range names {
		now, err := n.parameter(name)
		if err == nil && now.InEffect != "" && now.InEffect != now.Value {
			err = fmt.Errorf("%s is %s, but OpenZFS still uses %s: the value is out of bounds on this node", name, now.Value,
				now.InEffect)
		}
		if err != nil {
			return nil, failure.Wrap(v1alpha1.ReasonPreflightFailed, doing, err)
		}
		set[name] = now.Value
	}
	return set, nil
}

// Restore restores the recorded values of the parameters. It can be called again. After a reboot there is nothing to
// do: the parameters have the values of the node's configuration.
func (n Node) Restore(own result.Ownership) error {
	const doing = "restore the module parameters"
	if len(own.ModuleParameters) == 0 {
		return nil
	}
	boot, err := n.Module.BootID()
	if err != nil {
		return failure.Wrap(v1alpha1.ReasonCleanupFailed, doing, err)
	}
	if boot != own.BootID {
		n.Log.Info("the node was rebooted, so the module parameters need not be restored", "recorded", own.BootID,
			"boot", boot)
		return nil
	}
	failed := n.putBack(own.ModuleParameters)
	var errs []error
	for _, before := range own.ModuleParameters {
		now, err := n.parameter(before.Name)
		if err == nil && now != before {
			err = fmt.Errorf("%s is %s, it should be %s", before.Name, valueText(now), valueText(before))
		}
		if err != nil {
			errs = append(errs, errors.Join(err, failed[before.Name]))
		}
	}
	return failure.Wrap(v1alpha1.ReasonCleanupFailed, doing, errors.Join(errs...))
}

// putBack first writes the numbers that were in effect, and then the parameters' values: see module.InEffect.
func (n Node) putBack(parameters []result.ModuleParameter) map[string]error {
	failed := map[string]error{}
	for _, before := range parameters {
		if now, err := n.Module.InEffect(before.Name); err == nil && now != before.InEffect {
			failed[before.Name] = n.Module.Set(before.Name, before.InEffect)
		}
	}
	for _, before := range parameters {
		failed[before.Name] = errors.Join(failed[before.Name], n.Module.Set(before.Name, before.Value))
	}
	return failed
}

// valueText is a parameter's value, with the number in effect if that differs.
func valueText(p result.ModuleParameter) string {
	if p.InEffect == "" || p.InEffect == p.Value {
		return p.Value
	}
	return fmt.Sprintf("%s (in effect %s)", p.Value, p.InEffect)
}
