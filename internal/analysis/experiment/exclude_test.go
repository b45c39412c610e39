// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"testing"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
)

func TestMayRerun(t *testing.T) {
	attempts := func(n int) result.Trial { return result.Trial{Variant: "a", Excluded: make([]result.Attempt, n)} }
	failed := func(variant, reason string) result.Trial {
		return result.Trial{Variant: variant, Failure: &result.Failure{Reason: reason}}
	}
	tests := map[string]struct {
		trials   int
		finished []result.Trial
		excluded int
		want     bool
	}{
		"first":                        {1, nil, 0, true},
		"second":                       {1, nil, 1, true},
		"third":                        {100, nil, 2, false},
		"the plan's are used up":       {10, []result.Trial{attempts(2)}, 0, false},
		"used up by this trial":        {10, []result.Trial{attempts(1)}, 1, false},
		"a longer plan has more":       {15, []result.Trial{attempts(2)}, 0, true},
		"its variant fails always":     {100, []result.Trial{failed("a", v1alpha1.ReasonWorkloadFailed)}, 0, false},
		"another variant fails":        {100, []result.Trial{failed("b", v1alpha1.ReasonWorkloadFailed)}, 0, true},
		"its variant failed otherwise": {100, []result.Trial{failed("a", v1alpha1.ReasonRunnerFailed)}, 0, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p := plan.Plan{Trials: make([]plan.Trial, test.trials)}
			if got := MayRerun(p, test.finished, plan.Trial{Variant: "a"}, test.excluded); got != test.want {
				t.Errorf("got %t", got)
			}
		})
	}
}
