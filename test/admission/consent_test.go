// SPDX-License-Identifier: Apache-2.0

package admission_test

import (
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestConsent has a manager that somebody else controls start Jobs on nodes that nobody has labelled.
func TestConsent(t *testing.T) {
	const unlabelled = "a Job that executes a plan, and a pod that holds its images, want a node that bears the label " +
		"zfsbench.io/allowed=true"
	expression := func(p *corev1.PodSpec) *corev1.NodeSelectorRequirement {
		required := p.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution
		return &required.NodeSelectorTerms[0].MatchExpressions[0]
	}
	tests := map[string]struct {
		cleanup bool
		change  func(*corev1.PodSpec)
		want    string
	}{
		"a run, as built":     {},
		"a cleanup, as built": {cleanup: true},
		"a run anywhere": {
			change: func(p *corev1.PodSpec) {
				p.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms[0].MatchExpressions = nil
			},
			want: unlabelled,
		},
		"a run where another label is": {change: func(p *corev1.PodSpec) {
			expression(p).Key = "kubernetes.io/os"
		}, want: unlabelled},
		"a run where the label is not": {change: func(p *corev1.PodSpec) {
			expression(p).Operator = corev1.NodeSelectorOpNotIn
		}, want: unlabelled},
		"a run with any value of it": {change: func(p *corev1.PodSpec) {
			expression(p).Values = []string{"true", "false"}
		}, want: unlabelled},
		"a run with a second place to go": {
			change: func(p *corev1.PodSpec) {
				required := p.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution
				// It bears the label as well, so that nothing but the second place is wrong.
				other := *required.NodeSelectorTerms[0].DeepCopy()
				other.MatchFields[0].Values = []string{"another-node"}
				required.NodeSelectorTerms = append(required.NodeSelectorTerms, other)
			},
			want: "a runner runs on the one node that its Job names",
		},
		"a run that is called a cleanup": {cleanup: true, change: func(p *corev1.PodSpec) {
			p.Containers[0].Args[0] = "execute"
		}, want: unlabelled},
	}
	manager, run, c := apiserver(t).as(t, managerUser), newRun(t, "consent"), managerConfig(t)
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var job *batchv1.Job
			if job = run.RunJob(c.Runner); tt.cleanup {
				job = run.CleanupJob(c.Runner)
			}
			if tt.change != nil {
				tt.change(&job.Spec.Template.Spec)
			}
			check(t, manager.Create(t.Context(), job, client.DryRunAll), tt.want)
		})
	}
}
