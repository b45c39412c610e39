// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/uuid"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/kube/jobspec"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
)

// forceAway deletes a benchmark and removes its finalizer before the manager has torn anything down.
func (p *play) forceAway(b *v1alpha1.ZfsBenchmark) {
	p.t.Helper()
	p.must(p.Delete(p.t.Context(), b))
	none := client.RawPatch(types.MergePatchType, []byte(`{"metadata": {"finalizers": null}}`))
	p.must(client.IgnoreNotFound(p.Patch(p.t.Context(), p.get(b), none)))
	p.waitGone(b)
}

// waitNodeEvent waits for an event about a node.
func (p *play) waitNodeEvent(node *corev1.Node, reason string) {
	p.t.Helper()
	eventually(p.t, func() error {
		var list eventsv1.EventList
		if err := p.List(p.t.Context(), &list, client.InNamespace(metav1.NamespaceDefault)); err != nil {
			return err
		}
		for _, e := range list.Items {
			if e.Regarding.Kind == "Node" && e.Regarding.Name == node.Name && e.Reason == reason {
				return nil
			}
		}
		return fmt.Errorf("no event %s about node %s", reason, node.Name)
	})
}

// A benchmark whose finalizer is removed by force while it runs is torn down all the same, and the next one gets the
// node.
func TestForcedAwayWhileRunning(t *testing.T) {
	p := newPlay(t)
	node := p.node("storage-0", nil)
	b := p.create(MakeBenchmark(p.namespace, "forced").Node(node.Name).Obj())
	r := p.runner(b, "storage-0")
	run, cleanup := jobspec.RunJobName(r.run.Base()), jobspec.CleanupJobName(r.run.Base())
	r.report(result.StateRunning, nil)
	r.own()
	r.pod(run, corev1.PodStatus{Phase: corev1.PodRunning})
	next := p.create(MakeBenchmark(p.namespace, "next").Node(node.Name).Obj())
	p.waitCondition(next, v1alpha1.ConditionRunning, metav1.ConditionFalse, v1alpha1.ReasonQueued, "In the queue for",
		"forced")

	p.forceAway(b)
	r.endDeletion(run)
	p.waitNodeEvent(node, v1alpha1.ReasonOrphanFound)
	r.waitJob(cleanup)
	if p.lease(node) == nil {
		t.Error("the node was given back before it was clean")
	}
	r.report(result.StateCleaned, nil)
	r.disown()
	r.endJob(cleanup, batchv1.JobComplete, "")
	r.collectGarbage()
	p.waitNothingLeft(b)
	p.waitNodeEvent(node, v1alpha1.ReasonOrphanRemoved)
	p.runner(next, "storage-0")
}

// A runner that tears down in time leaves only its journal, as after an ordinary deletion.
func TestForcedAwayTornDown(t *testing.T) {
	p := newPlay(t)
	node := p.node("storage-0", nil)
	b := p.create(MakeBenchmark(p.namespace, "forced").Node(node.Name).Obj())
	r := p.runner(b, "storage-0")
	r.report(result.StateRunning, nil)
	p.forceAway(b)
	r.endInterrupted(jobspec.RunJobName(r.run.Base()))
	r.collectGarbage()
	p.waitReleased(node)
	p.waitNothingLeft(b)
}

// TestObjectsWithoutABenchmark stands for an API that was restored from before the benchmark, or without it: there are
// a plan, a lease on a node and one on a disk, and nobody they belong to.
func TestObjectsWithoutABenchmark(t *testing.T) {
	p := newPlay(t)
	node := p.node("storage-0", nil)
	gone := MakeBenchmark(p.namespace, "restored").UID(string(uuid.NewUUID())).Obj()
	donor := p.create(MakeBenchmark(p.namespace, "donor").Node(p.node("storage-1", nil).Name).Obj())
	restored := p.runner(donor, "storage-1").run.Plan
	restored.Benchmark = plan.Benchmark{Namespace: gone.Namespace, Name: gone.Name, UID: string(gone.UID)}
	restored.Node.Name, restored.Node.UID = node.Name, string(node.UID)
	r := &runner{play: p, run: jobspec.NewRun(testNamespace, restored)}
	disk := jobspec.DiskLease(testNamespace, gone, node.Name, "/dev/disk/by-id/wwn-0x5000c500a1b2c3d5")
	for _, object := range []client.Object{jobspec.Lease(testNamespace, gone, node.Name, string(node.UID)), disk,
		r.run.PlanConfigMap()} {
		p.must(p.Create(t.Context(), object))
	}
	cleanup := jobspec.CleanupJobName(r.run.Base())
	// Nothing says that a runner touched anything there.
	r.collectGarbage()
	p.waitReleased(node)
	p.waitGone(disk)
	p.waitNothingLeft(gone)
	p.waitNodeEvent(node, v1alpha1.ReasonOrphanRemoved)
	if err := p.Get(t.Context(), r.key(cleanup), &batchv1.Job{}); err == nil {
		t.Error("a cleanup Job was made for a plan that never ran")
	}
}

// A lease alone, whose plan somebody deleted, does not hold its node for ever.
func TestLeaseWithoutABenchmark(t *testing.T) {
	p := newPlay(t)
	node := p.node("storage-0", nil)
	gone := MakeBenchmark(p.namespace, "lease").UID(string(uuid.NewUUID())).Obj()
	p.must(p.Create(t.Context(), jobspec.Lease(testNamespace, gone, node.Name, string(node.UID))))
	p.waitReleased(node)
	p.waitNodeEvent(node, v1alpha1.ReasonOrphanRemoved)
}

// A StorageClass that the manager made, and that only its finalizer holds, goes as well.
func TestClassWithoutABenchmark(t *testing.T) {
	p := newPlay(t)
	node := p.node("storage-0", nil)
	gone := MakeBenchmark(p.namespace, "class").UID(string(uuid.NewUUID())).Obj()
	class := &storagev1.StorageClass{
		ObjectMeta: metav1.ObjectMeta{
			Name: p.namespace, Labels: jobspec.Labels(string(gone.UID), node.Name), Finalizers: []string{v1alpha1.Finalizer},
		},
		Provisioner: "example.com/none",
	}
	p.must(p.Create(t.Context(), class))
	p.must(p.Create(t.Context(), jobspec.Lease(testNamespace, gone, node.Name, string(node.UID))))
	p.waitReleased(node)
	p.waitGone(class)
}

// There is no benchmark to annotate: a disk that never comes back is given up with its progress ConfigMap, as the event
// says, and what became of the disk is an event of the node as well.
func TestForcedAwayWithAMissingDisk(t *testing.T) {
	p := newPlay(t)
	node := p.node("storage-0", nil)
	b := p.create(MakeBenchmark(p.namespace, "forced").Node(node.Name).Obj())
	r := p.runner(b, "storage-0")
	run, cleanup := jobspec.RunJobName(r.run.Base()), jobspec.CleanupJobName(r.run.Base())
	r.report(result.StateRunning, nil)
	r.own()
	p.forceAway(b)
	r.endDeletion(run)
	r.waitJob(cleanup)
	progress := client.ObjectKey{Namespace: testNamespace, Name: jobspec.ProgressName(r.run.Base())}
	p.annotate(progress, jobspec.AnnotationForget, "S1")
	// A cleanup that fails is made again; the annotation stays.
	job := r.job(cleanup)
	p.must(p.Delete(t.Context(), job, client.PropagationPolicy(metav1.DeletePropagationBackground)))
	p.waitGone(job)
	r.waitJob(cleanup)
	var now corev1.ConfigMap
	p.must(p.Get(t.Context(), progress, &now))
	if got := now.Annotations[jobspec.AnnotationForget]; got != "S1" {
		t.Errorf("given up is %q", got)
	}
	r.report(result.StateCleaned, func(pr *result.Progress) {
		pr.Gone = []string{"device d0 is no longer the benchmark's"}
	})
	r.disown()
	r.endJob(cleanup, batchv1.JobComplete, "")
	p.waitNodeEvent(node, v1alpha1.ReasonDeviceGone)
	r.collectGarbage()
	p.waitNothingLeft(b)
}

// annotate does what kubectl annotate does.
func (p *play) annotate(key client.ObjectKey, name, value string) {
	p.t.Helper()
	cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name}}
	patch := fmt.Appendf(nil, `{"metadata":{"annotations":{%q:%q}}}`, name, value)
	p.must(p.Patch(p.t.Context(), cm, client.RawPatch(types.MergePatchType, patch), client.FieldOwner("kubectl-annotate")))
}
