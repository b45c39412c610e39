// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/jobspec"
	"zfsbench.io/operator/internal/result"
)

// A benchmark of two variants may end after 2 of at most 4 repetitions, each of 3 trials: the reference variant, the other one, and the reference once more.
func TestMatrixEndsWhenItIsCertain(t *testing.T) {
	tests := map[string]struct {
		// bandwidth of each trial, in MiB/s, by its index.
		bandwidth func(index int) int
		trials    int
		converged metav1.ConditionStatus
		reason    string
		words     []string
	}{
		"certain":   {func(int) int { return 100 }, 6, metav1.ConditionTrue, v1alpha1.ReasonConverged, []string{"at most 2.5%", "after 2 of at most 4 repetitions"}},
		"uncertain": {func(index int) int { return 100 + 37*index%50 }, 12, metav1.ConditionFalse, v1alpha1.ReasonNotConverged, []string{"after all 4 repetitions"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p := newPlay(t)
			b := p.create(MakeBenchmark(p.namespace, "matrix").Node(p.node("storage-0", nil).Name).Recordsizes("128K", "1M").AtMost(2, 4).Obj())
			r := p.runner(b, "storage-0")
			for i := range tt.trials {
				r.measuredTrial(i, tt.bandwidth(i))
			}
			r.report(result.StateComplete, func(p *result.Progress) { p.Completed = tt.trials })
			r.endJob(jobspec.RunJobName(r.run.Base()), batchv1.JobComplete, "")
			now := p.waitCondition(b, v1alpha1.ConditionComplete, metav1.ConditionTrue, v1alpha1.ReasonComplete)
			if got := now.Status.Progress.Trials; int(got.Total) != tt.trials || int(got.Completed) != tt.trials {
				t.Errorf("trials = %+v, want %d", got, tt.trials)
			}
			p.waitCondition(b, v1alpha1.ConditionConverged, tt.converged, tt.reason, tt.words...)
			p.waitReport(b, "summary.md", "recordsize=1M")
		})
	}
}

// A runner that ends before the results are certain has not done what the plan asks, whatever it says.
func TestMatrixThatEndsTooEarly(t *testing.T) {
	p := newPlay(t)
	b := p.create(MakeBenchmark(p.namespace, "matrix").Node(p.node("storage-0", nil).Name).Recordsizes("128K", "1M").AtMost(2, 4).Obj())
	r := p.runner(b, "storage-0")
	for i := range 6 {
		r.measuredTrial(i, 100+37*i%50)
	}
	r.report(result.StateComplete, func(p *result.Progress) { p.Completed = 6 })
	r.endJob(jobspec.RunJobName(r.run.Base()), batchv1.JobComplete, "")
	p.waitCondition(b, v1alpha1.ConditionFailed, metav1.ConditionTrue, v1alpha1.ReasonResultsUnreadable, "all 12 trials are done", "6 of them have no result")
}
