// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"

	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
)

// checkBaseline wants every sample of a trial to say that it was taken on the filesystem that is planned, or on none but ZFS.
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
			return fmt.Errorf("its sample of %q was taken on %s; planned is %s", s.Workload, kindOf(got), kindOf(want))
		}
	}
	return nil
}

func kindOf(baseline string) string {
	if baseline == "" {
		return "a pool's own dataset"
	}
	return fmt.Sprintf("%q", baseline)
}
