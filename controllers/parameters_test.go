// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"testing"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
)

func TestCheckParameters(t *testing.T) {
	p := testPlan()
	p.Variants = []plan.Variant{{Name: "default", ModuleParameters: v1alpha1.ModuleParameters{"zfs_txg_timeout": "7"}},
		{Name: "plain"}}
	tests := map[string]struct {
		variant    string
		parameters map[string]string
		failure    *result.Failure
		wrong      bool
	}{
		"as planned":    {variant: "default", parameters: map[string]string{"zfs_txg_timeout": "7"}},
		"none planned":  {variant: "plain"},
		"failed before": {variant: "default", failure: &result.Failure{}},
		"not set":       {variant: "default", wrong: true},
		"another value": {variant: "default", parameters: map[string]string{"zfs_txg_timeout": "5"}, wrong: true},
		"another, failed": {variant: "default", parameters: map[string]string{"zfs_txg_timeout": "5"},
			failure: &result.Failure{}, wrong: true},
		"one more": {variant: "default", parameters: map[string]string{"zfs_txg_timeout": "7", "zfs_arc_max": "1"},
			wrong: true},
		"one that is not set": {variant: "plain", parameters: map[string]string{"zfs_arc_max": "1"}, wrong: true},
	}
	for name, tt := range tests {
		trial := testTrial(0)
		trial.Variant, trial.ModuleParameters, trial.Failure = tt.variant, tt.parameters, tt.failure
		if err := checkParameters(p, trial); (err != nil) != tt.wrong {
			t.Errorf("%s: %v", name, err)
		}
	}
}
