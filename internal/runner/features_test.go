// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
)

// What filesystems can do is found out once for each variant that has one, and is in each of its trials, if there are baselines to compare with; a failure to find it out fails nothing.
func TestFeatures(t *testing.T) {
	known := fakeFeatures()
	tests := map[string]struct {
		plan func(*world) plan.Plan
		// lacks keeps anything from being found out.
		lacks error
		looks int
		want  []*result.Features
	}{
		"a filesystem and a disk": {baselinePlan, nil, 1, []*result.Features{&known, nil}},
		"twice the same": {func(w *world) plan.Plan {
			p := baselinePlan(w)
			p.Variants = p.Variants[:1]
			p.Trials[1] = plan.Trial{Index: 1, Variant: "ext4", Repetition: 2}
			return p
		}, nil, 1, []*result.Features{&known, &known}},
		"nothing is known":   {baselinePlan, errors.New("no space"), 1, []*result.Features{nil, nil}},
		"a pool by itself":   {func(w *world) plan.Plan { p := testPlan(w); p.Trials = p.Trials[:1]; return p }, nil, 0, []*result.Features{nil}},
		"a volume by itself": {func(w *world) plan.Plan { p := volumeFilesystemPlan(w); p.Trials = p.Trials[:1]; return p }, nil, 0, []*result.Features{nil}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.lacks = map[string]error{"features": tt.lacks}
			if got, _ := w.execute(t.Context(), tt.plan(w)); got.Progress.State != result.StateComplete || got.Progress.Failed != 0 {
				t.Fatalf("outcome %+v, failure %+v", got, got.Progress.Failure)
			}
			var found []*result.Features
			for i := range len(tt.want) {
				found = append(found, w.trials[i].Features)
			}
			if diff := cmp.Diff(tt.want, found); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			looks := len(slices.DeleteFunc(slices.Clone(w.transcript), func(call string) bool { return call != "look for features" }))
			if looks != tt.looks || len(w.left()) != 0 {
				t.Errorf("looked %d times, left %v", looks, w.left())
			}
		})
	}
}
