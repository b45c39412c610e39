// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"maps"
	"slices"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
)

// checkParameters holds the module parameters of a trial to those of its variant; one that failed may have failed before it set them.
func checkParameters(p plan.Plan, trial result.Trial) error {
	var want v1alpha1.ModuleParameters
	if i := slices.IndexFunc(p.Variants, func(v plan.Variant) bool { return v.Name == trial.Variant }); i >= 0 {
		want = p.Variants[i].ModuleParameters
	}
	if trial.Failure != nil && len(trial.ModuleParameters) == 0 {
		return nil
	}
	if !maps.EqualFunc(want, trial.ModuleParameters, func(a v1alpha1.ModuleParameterValue, b string) bool { return string(a) == b }) {
		return fmt.Errorf("it ran with the module parameters %v; planned are %v", trial.ModuleParameters, want)
	}
	return nil
}
