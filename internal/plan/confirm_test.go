// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"strings"
	"testing"

	"k8s.io/utils/ptr"

	"zfsbench.io/operator/api/v1alpha1"
)

// confirmed is a plan of four ashifts and a reference, two repetitions, and six that confirm.
func confirmed(t *testing.T) Plan {
	t.Helper()
	b := benchmark(t, onFiles)
	b.Spec.Matrix = &v1alpha1.MatrixSpec{Axes: []v1alpha1.Axis{{Name: "ashift", Property: "ashift",
		PropertyValues: []v1alpha1.AxisValueName{"9", "10", "11", "12", "13"}}}}
	b.Spec.Repetitions = &v1alpha1.RepetitionsSpec{Min: 2, Confirm: ptr.To[int32](6)}
	b.Spec.Comparison = &v1alpha1.ComparisonSpec{Reference: "ashift=12"}
	p, err := Build(Input{Benchmark: b, Node: testNode(), Defaults: testDefaults()})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Every variant may turn out to be the winner, so the plan lists all of them in each repetition that confirms; time is
// estimated for those that can be needed.
func TestConfirmingRepetitions(t *testing.T) {
	p := confirmed(t)
	const variants, closing = 5, 1
	if got, want := len(p.Trials), (2+6)*(variants+closing); got != want {
		t.Errorf("%d trials, want %d", got, want)
	}
	if got := p.Repetitions(); got != 2 {
		t.Errorf("%d repetitions that search, want 2", got)
	}
	if last := p.Trials[len(p.Trials)-1]; last.Repetition != 8 || !last.Closing {
		t.Errorf("the last trial is %+v", last)
	}
	// One workload has two operations, of each of which a leader and a reference can be needed.
	workloads := len(p.Workloads)
	if got, want := MostTrials(p), len(p.Trials)-6*max(0, variants-4*workloads); got != want || workloads > 1 {
		t.Errorf("at most %d trials, want %d of %d workloads", got, want, workloads)
	}
	if err := check(p); err != nil {
		t.Error(err)
	}
}

func TestConfirmingIsChecked(t *testing.T) {
	tests := map[string]struct {
		change func(*Plan)
		want   string
	}{
		"no reference": {func(p *Plan) {
			for i := range p.Variants {
				p.Variants[i].Reference = ""
			}
		}, "no variant has a reference"},
		"in sequence": {func(p *Plan) { p.Order.Kind = v1alpha1.OrderSequential }, "a sequential order"},
		"too often":   {func(p *Plan) { p.ConfirmingRepetitions = 101 }, "it must be from 6 to 100"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p := confirmed(t)
			tt.change(&p)
			if err := checkConfirming(p); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
}
