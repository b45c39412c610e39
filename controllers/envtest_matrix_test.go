// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/kube/jobspec"
	"zfsbench.io/operator/internal/result"
)

// A benchmark of two variants may end after 6 of at most 7 repetitions, each of 3 trials: the reference variant, the
// other one, and the reference once more.
func TestMatrixEndsWhenItIsCertain(t *testing.T) {
	tests := map[string]struct {
		// bandwidth of each trial, in MiB/s, by its index.
		bandwidth func(index int) int
		trials    int
		converged metav1.ConditionStatus
		reason    string
		words     []string
	}{
		"certain": {func(int) int {
			return 100
		}, 18, metav1.ConditionTrue, v1alpha1.ReasonConverged,
			[]string{"to within 2.5%", "after 6 of at most 7 repetitions"}},
		"uncertain": {func(index int) int {
			return 100 + 37*index%50
		}, 21, metav1.ConditionFalse, v1alpha1.ReasonNotConverged, []string{"after all 7 repetitions"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p := newPlay(t)
			b := p.create(MakeBenchmark(p.namespace, "matrix").Node(p.node("storage-0", nil).Name).Recordsizes("128K",
				"1M").AtMost(6, 7).Obj())
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

// What a runner measures beyond the end does not count: it could choose the end by the outcome.
func TestMatrixBeyondItsEnd(t *testing.T) {
	p := newPlay(t)
	b := p.create(MakeBenchmark(p.namespace, "matrix").Node(p.node("storage-0", nil).Name).Recordsizes("128K",
		"1M").AtMost(6, 7).Obj())
	r := p.runner(b, "storage-0")
	for i := range 20 {
		bandwidth := 100
		if i >= 18 {
			bandwidth = 900
		}
		r.measuredTrial(i, bandwidth)
	}
	r.report(result.StateComplete, func(p *result.Progress) { p.Completed = 20 })
	r.endJob(jobspec.RunJobName(r.run.Base()), batchv1.JobComplete, "")
	now := p.waitCondition(b, v1alpha1.ConditionComplete, metav1.ConditionTrue, v1alpha1.ReasonComplete)
	if got := now.Status.Progress.Trials; got.Total != 18 || got.Completed != 18 {
		t.Errorf("trials = %+v, want 18", got)
	}
	cm := p.waitReport(b, "results.json", `"recordsize=1M"`)
	if strings.Contains(cm.Data["results.json"], `"index":18`) || strings.Contains(cm.Data["results.json"], "943718400") {
		t.Errorf("the report tells of trials beyond the end:\n%s", cm.Data["results.json"])
	}
}

// A runner that ends before the results are certain has not done what the plan asks, whatever it says.
func TestMatrixThatEndsTooEarly(t *testing.T) {
	p := newPlay(t)
	b := p.create(MakeBenchmark(p.namespace, "matrix").Node(p.node("storage-0", nil).Name).Recordsizes("128K",
		"1M").AtMost(6, 7).Obj())
	r := p.runner(b, "storage-0")
	for i := range 18 {
		r.measuredTrial(i, 100+37*i%50)
	}
	r.report(result.StateComplete, func(p *result.Progress) { p.Completed = 18 })
	r.endJob(jobspec.RunJobName(r.run.Base()), batchv1.JobComplete, "")
	p.waitCondition(b, v1alpha1.ConditionFailed, metav1.ConditionTrue, v1alpha1.ReasonResultsUnreadable,
		"all 21 trials are done", "3 of them have no result")
}
