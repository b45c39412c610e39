// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/kube/jobspec"
	"zfsbench.io/operator/internal/result"
)

func TestDeleteBeforeTheStart(t *testing.T) {
	p := newPlay(t)
	b := p.create(MakeBenchmark(p.namespace, "files").Node(p.nodeName("storage-0")).Obj())
	p.waitPhase(b, v1alpha1.PhaseWaiting)
	p.must(p.Delete(t.Context(), b))
	p.waitGone(b)
}

func TestDeleteWhileRunning(t *testing.T) {
	p := newPlay(t)
	node := p.node("storage-0", nil)
	b := p.create(MakeBenchmark(p.namespace, "files").Node(node.Name).Obj())
	r := p.runner(b, "storage-0")
	run, cleanup := jobspec.RunJobName(r.run.Base()), jobspec.CleanupJobName(r.run.Base())
	r.report(result.StateRunning, nil)
	r.own()
	r.pod(run, corev1.PodStatus{Phase: corev1.PodRunning})
	p.must(p.Delete(t.Context(), b))
	p.waitCondition(b, v1alpha1.ConditionRunning, metav1.ConditionFalse, v1alpha1.ReasonDeleting, "runner's pod",
		node.Name)
	p.waitPhase(b, v1alpha1.PhaseDeleting)
	// The runner is killed before it could tear down: its pod ends, and what it owned is still recorded.
	r.endDeletion(run)
	r.waitJob(cleanup)
	if p.lease(node) == nil {
		t.Error("the node was given back before it was clean")
	}
	r.report(result.StateCleaned, nil)
	r.disown()
	r.endJob(cleanup, batchv1.JobComplete, "")
	r.collectGarbage()
	p.waitGone(b)
	p.waitNothingLeft(b)
}

// waitNothingLeft waits until the runner namespace holds nothing of a benchmark that the garbage collector would not
// have taken.
func (p *play) waitNothingLeft(b *v1alpha1.ZfsBenchmark) {
	p.t.Helper()
	labels := client.MatchingLabels{v1alpha1.LabelBenchmarkUID: string(b.UID)}
	eventually(p.t, func() error {
		var documents corev1.ConfigMapList
		var jobs batchv1.JobList
		for _, list := range []client.ObjectList{&documents, &jobs} {
			if err := p.List(p.t.Context(), list, client.InNamespace(testNamespace), labels); err != nil {
				return err
			}
		}
		if n := len(documents.Items) + len(jobs.Items); n > 0 {
			return fmt.Errorf("%d objects are left", n)
		}
		return nil
	})
}

// A runner that tears down when it is told to leaves nothing but its journal, for the runner that might go on; the
// cleanup removes that.
func TestDeleteWhileRunningTornDown(t *testing.T) {
	p := newPlay(t)
	node := p.node("storage-0", nil)
	b := p.create(MakeBenchmark(p.namespace, "files").Node(node.Name).Obj())
	r := p.runner(b, "storage-0")
	run := jobspec.RunJobName(r.run.Base())
	r.report(result.StateRunning, nil)
	r.own()
	p.must(p.Delete(t.Context(), b))
	r.waitDeleting(run)
	r.disown()
	r.endInterrupted(run)
	r.collectGarbage()
	p.waitGone(b)
	p.waitNothingLeft(b)
}

// endInterrupted ends a run whose runner was told to stop and tore down, and then the cleanup after it.
func (r *runner) endInterrupted(run string) {
	r.t.Helper()
	r.report(result.StateFailed, func(pr *result.Progress) {
		pr.Failure = &result.Failure{Reason: v1alpha1.ReasonInterrupted, Message: "The runner was stopped."}
	})
	r.endDeletion(run)
	cleanup := jobspec.CleanupJobName(r.run.Base())
	r.waitJob(cleanup)
	r.report(result.StateCleaned, nil)
	r.endJob(cleanup, batchv1.JobComplete, "")
}

func TestDeleteWithNodeThatDoesNotAnswer(t *testing.T) {
	p := newPlay(t)
	node := p.node("storage-0", nil)
	b := p.create(MakeBenchmark(p.namespace, "files").Node(node.Name).Obj())
	r := p.runner(b, "storage-0")
	run := jobspec.RunJobName(r.run.Base())
	r.report(result.StateRunning, nil)
	r.own()
	r.pod(run, corev1.PodStatus{Phase: corev1.PodRunning})
	p.setReady(node, corev1.ConditionUnknown)
	p.must(p.Delete(t.Context(), b))
	p.waitCondition(b, v1alpha1.ConditionRunning, metav1.ConditionFalse, v1alpha1.ReasonDeleting, "not Ready",
		v1alpha1.AnnotationAbandonNode+"="+node.Name)

	before := p.get(b)
	after := before.DeepCopy()
	after.Annotations = map[string]string{v1alpha1.AnnotationAbandonNode: "other, " + node.Name}
	p.must(p.Patch(t.Context(), after, client.MergeFrom(before)))
	// Nobody knows whether the machine is off. As long as the pod may run, the node stays taken.
	r.waitDeleting(run)
	p.waitCondition(b, v1alpha1.ConditionRunning, metav1.ConditionFalse, v1alpha1.ReasonDeleting, "pod there has ended",
		corev1.TaintNodeOutOfService)
	if p.lease(node) == nil {
		t.Error("the node was given to others while the runner's pod may run")
	}
	p.taintOutOfService(node)
	p.waitReleased(node)
	p.waitEvent(b, v1alpha1.ReasonNodeAbandoned)
	r.deleteOrphans()
	p.waitGone(b)
}

// taintOutOfService says of a node that its machine is off.
func (p *play) taintOutOfService(node *corev1.Node) {
	p.t.Helper()
	var now corev1.Node
	p.must(p.Get(p.t.Context(), client.ObjectKeyFromObject(node), &now))
	before := now.DeepCopy()
	now.Spec.Taints = append(now.Spec.Taints, corev1.Taint{
		Key: corev1.TaintNodeOutOfService, Value: "nodeshutdown", Effect: corev1.TaintEffectNoExecute,
	})
	p.must(p.Patch(p.t.Context(), &now, client.MergeFrom(before)))
}

// deleteOrphans deletes what the deleted plan owned, as the garbage collector does after a deletion in the background.
func (r *runner) deleteOrphans() {
	r.t.Helper()
	plan := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: testNamespace, Name: r.run.Base()}}
	r.waitGone(plan)
	r.collectGarbage()
}

func TestDeleteInTerminatingNamespace(t *testing.T) {
	p := newPlay(t)
	node := p.node("storage-0", nil)
	b := p.create(MakeBenchmark(p.namespace, "files").Node(node.Name).Obj())
	r := p.runner(b, "storage-0")
	r.trial(0)
	r.report(result.StateRunning, func(pr *result.Progress) { pr.Completed = 1 })
	p.waitReport(b, "summary.md", "seq-write")
	p.must(p.Delete(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: p.namespace}}))
	p.must(p.Delete(t.Context(), b))
	r.waitDeleting(jobspec.RunJobName(r.run.Base()))
	r.endInterrupted(jobspec.RunJobName(r.run.Base()))
	r.collectGarbage()
	p.waitGone(b)
}

// A suspended benchmark has a journal on the node, which goes with it.
func TestDeleteSuspended(t *testing.T) {
	p := newPlay(t)
	b := p.create(MakeBenchmark(p.namespace, "files").Node(p.node("storage-0", nil).Name).Obj())
	r := p.suspended(b)
	p.must(p.Delete(t.Context(), b))
	cleanup := jobspec.CleanupJobName(r.run.Base())
	r.waitJob(cleanup)
	r.report(result.StateCleaned, nil)
	r.endJob(cleanup, batchv1.JobComplete, "")
	r.collectGarbage()
	p.waitGone(b)
}
