// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/kube/jobspec"
	"zfsbench.io/operator/internal/result"
)

// A benchmark that wants a node for longer than the configuration allows waits, and says which limit it exceeds.
func TestTimeoutBeyondTheConfiguration(t *testing.T) {
	p := newPlay(t)
	node := p.node("storage-0", nil)
	b := MakeBenchmark(p.namespace, "files").Node(node.Name).Obj()
	b.Spec.Timeout = &metav1.Duration{Duration: 720 * time.Hour}
	b = p.create(b)
	p.waitCondition(b, v1alpha1.ConditionAccepted, metav1.ConditionFalse, v1alpha1.ReasonPolicyMismatch,
		"spec.timeout is 720h0m0s", "at most 24h0m0s (maxTimeout)")
	p.waitPhase(b, v1alpha1.PhaseWaiting)
	if p.lease(node) != nil {
		t.Error("the benchmark holds the node")
	}
}

// A policy that names the UID of a namespace consents to this namespace, not to another one of its name.
func TestNamespaceOfAnotherUID(t *testing.T) {
	p := newPlay(t)
	node := p.node("storage-0", nil)
	policy := p.policy(node)
	policy.Spec.NamespaceUIDs = []v1alpha1.PolicyNamespaceUID{{Name: p.namespace,
		UID: "00000000-0000-4000-8000-000000000000"}}
	p.updatePolicy(policy)
	var namespace corev1.Namespace
	p.must(p.Get(t.Context(), client.ObjectKey{Name: p.namespace}, &namespace))
	b := p.create(MakeBenchmark(p.namespace, "disk").Node(node.Name).Disk(testDisk).Obj())
	p.waitCondition(b, v1alpha1.ConditionAccepted, metav1.ConditionFalse, v1alpha1.ReasonPolicyMismatch,
		"00000000-0000-4000-8000-000000000000", string(namespace.UID), "spec.namespaceUIDs")
	policy.Spec.NamespaceUIDs[0].UID = string(namespace.UID)
	p.updatePolicy(policy)
	p.waitCondition(b, v1alpha1.ConditionAccepted, metav1.ConditionTrue, v1alpha1.ReasonAccepted)
	p.runner(b, "storage-0").complete()
	p.waitPhase(b, v1alpha1.PhaseComplete)
}

// Who takes the label off a node stops its runner, which tears down; if it cannot, a cleanup Job does, on the node that
// has no label any more.
func TestLabelTakenOffWhileRunning(t *testing.T) {
	for name, dies := range map[string]bool{"the runner tears down": false, "the runner dies": true} {
		t.Run(name, func(t *testing.T) {
			p := newPlay(t)
			node := p.node("storage-0", nil)
			b := p.create(MakeBenchmark(p.namespace, "files").Node(node.Name).Obj())
			r := p.runner(b, "storage-0")
			r.report(result.StateRunning, nil)
			r.own()
			run, cleanup := jobspec.RunJobName(r.run.Base()), jobspec.CleanupJobName(r.run.Base())
			if got := wantedLabels(r.job(run)); len(got) != 1 || got[0].Key != v1alpha1.LabelNodeAllowed {
				t.Errorf("the runner wants a node with %v", got)
			}
			r.pod(run, corev1.PodStatus{Phase: corev1.PodRunning})
			unlabelled := node.DeepCopy()
			delete(unlabelled.Labels, v1alpha1.LabelNodeAllowed)
			p.must(p.Patch(t.Context(), unlabelled, client.MergeFrom(node)))
			r.waitDeleting(run)
			if dies {
				r.endDeletion(run)
				r.waitJob(cleanup)
				if got := wantedLabels(r.job(cleanup)); len(got) > 0 {
					t.Errorf("the cleanup wants a node with %v", got)
				}
				r.report(result.StateCleaned, nil)
				r.disown()
				r.endJob(cleanup, batchv1.JobComplete, "")
			} else {
				r.disown()
				r.endInterrupted(run)
			}
			p.waitCondition(b, v1alpha1.ConditionFailed, metav1.ConditionTrue, v1alpha1.ReasonNodeNotAllowed, node.Name)
			p.waitReleased(node)
		})
	}
}

// wantedLabels are the labels that a Job wants of its node.
func wantedLabels(job *batchv1.Job) []corev1.NodeSelectorRequirement {
	required := job.Spec.Template.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	return required.NodeSelectorTerms[0].MatchExpressions
}
