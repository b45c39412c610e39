// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
)

// checkBaseline checks that every sample of a trial names the planned filesystem, or none for ZFS, and the planned md
// array, or none.
func checkBaseline(p plan.Plan, trial result.Trial) error {
	variant, _ := p.Variant(trial.Variant)
	want := ""
	switch filesystem := variant.Filesystem(); {
	case filesystem != nil:
		want = string(filesystem.Type)
	case variant.Baseline != nil:
		want = variant.Baseline.Kind()
	}
	for _, s := range trial.Samples {
		got := ""
		if s.Baseline != nil {
			got = s.Baseline.Type
		}
		if got != want {
			return fmt.Errorf("its sample of %q was taken on %s; the plan says %s", s.Workload, kindOf(got), kindOf(want))
		}
		if err := checkArray(variant.Array(), s); err != nil {
			return fmt.Errorf("its sample of %q was taken on %w", s.Workload, err)
		}
	}
	return nil
}

// checkArray checks that level and number of devices are as planned.
func checkArray(planned *v1alpha1.MDArray, s result.Sample) error {
	got, want := "no md array", "no md array"
	if s.Baseline != nil && s.Baseline.Array != nil {
		got = fmt.Sprintf("an md array of level %q with %d devices", s.Baseline.Array.Level, s.Baseline.Array.Disks)
	}
	if planned != nil {
		want = fmt.Sprintf("an md array of level %q with %d devices", planned.Level, len(planned.Devices))
	}
	if got != want {
		return fmt.Errorf("%s; the plan says %s", got, want)
	}
	return nil
}

func kindOf(baseline string) string {
	if baseline == "" {
		return "a pool's own dataset"
	}
	return fmt.Sprintf("%q", baseline)
}

// checkClaimed checks that the trial has a claimed volume if one is planned, and none otherwise.
func checkClaimed(p plan.Plan, trial result.Trial) error {
	variant, _ := p.Variant(trial.Variant)
	switch {
	case trial.Claim != nil && !variant.Claims():
		return fmt.Errorf("it was run on persistent volume %q; the plan says none", trial.Claim.Volume)
	case trial.Claim == nil && variant.Claims() && len(trial.Samples) > 0:
		return fmt.Errorf("it has samples of variant %q, which is a persistent volume, but does not say which volume",
			trial.Variant)
	}
	return nil
}
