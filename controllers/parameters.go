// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"maps"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
)

// checkParameters compares the module parameters of a trial with the plan. A failed trial may have failed before it set
// them.
func checkParameters(p plan.Plan, trial result.Trial) error {
	if trial.Failure != nil && len(trial.ModuleParameters) == 0 {
		return nil
	}
	variant, _ := p.Variant(trial.Variant)
	want := variant.ModuleParameters
	if !maps.EqualFunc(want, trial.ModuleParameters, func(a v1alpha1.ModuleParameterValue, b string) bool {
		return string(a) == b
	}) {
		return fmt.Errorf("it ran with the module parameters %v; the plan says %v", trial.ModuleParameters, want)
	}
	return nil
}
