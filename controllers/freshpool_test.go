// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"strings"
	"testing"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
)

func TestCheckFreshPool(t *testing.T) {
	tests := map[string]struct {
		plan                v1alpha1.FreshPool
		repetition, earlier int
		want                string // in the error
	}{
		"a pool of its own":       {repetition: 2},
		"a pool that is kept":     {plan: v1alpha1.FreshPoolPerVariant, repetition: 3, earlier: 2},
		"a new one after a crash": {plan: v1alpha1.FreshPoolPerVariant, repetition: 3},
		"kept against the plan": {repetition: 2, earlier: 1,
			want: "1 trials ran on its pool before; there can have been at most 0"},
		"older than possible":   {plan: v1alpha1.FreshPoolPerVariant, repetition: 2, earlier: 2, want: "at most 1"},
		"younger than possible": {plan: v1alpha1.FreshPoolPerVariant, repetition: 2, earlier: -1, want: "-1 trials"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p, trial := testPlan(), testTrial(0)
			p.FreshPool = tt.plan
			p.Trials = []plan.Trial{{Variant: trial.Variant, Repetition: tt.repetition}}
			trial.Repetition, trial.EarlierOnPool = tt.repetition, tt.earlier
			err := checkTrial(p, testDigest(), result.TrialKey(0), trial)
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}
