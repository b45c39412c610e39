// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/kube/jobspec"
)

// discovery waits for a discovery on a node, whose ConfigMap is not the one with this UID.
func (p *play) discovery(node *corev1.Node, other types.UID) *corev1.ConfigMap {
	p.t.Helper()
	name := jobspec.DiscoveryName(string(node.UID))
	var request corev1.ConfigMap
	eventually(p.t, func() error {
		if err := p.Get(p.t.Context(), client.ObjectKey{Namespace: testNamespace, Name: name}, &request); err != nil {
			return err
		}
		if request.UID == other {
			return fmt.Errorf("no new discovery")
		}
		var job batchv1.Job
		return p.Get(p.t.Context(), client.ObjectKey{Namespace: testNamespace, Name: jobspec.DiscoveryJobName(name)}, &job)
	})
	return &request
}

// report plays the discovery.
func (p *play) report(request *corev1.ConfigMap, document string) {
	p.t.Helper()
	before := request.DeepCopy()
	request.Data[jobspec.KeyInventory] = document
	p.must(p.Patch(p.t.Context(), request, client.MergeFrom(before)))
}

// waitStorage waits for a NodeStorage with a reason, and with so many disks.
func (p *play) waitStorage(node *corev1.Node, reason string, disks int32) *v1alpha1.NodeStorage {
	p.t.Helper()
	var s v1alpha1.NodeStorage
	eventually(p.t, func() error {
		if err := p.Get(p.t.Context(), client.ObjectKey{Name: node.Name}, &s); err != nil {
			return err
		}
		c := meta.FindStatusCondition(s.Status.Conditions, v1alpha1.ConditionCurrent)
		if c == nil || c.Reason != reason || s.Status.DiskCount != disks {
			return fmt.Errorf("%d disks, condition %+v, want %s and %d", s.Status.DiskCount, c, reason, disks)
		}
		return nil
	})
	return &s
}

// waitReady waits until a policy's status says whether so many of its devices are as listed.
func (p *play) waitReady(policy *v1alpha1.BenchmarkDevicePolicy, is metav1.ConditionStatus, verified string) {
	p.t.Helper()
	eventually(p.t, func() error {
		var now v1alpha1.BenchmarkDevicePolicy
		if err := p.Get(p.t.Context(), client.ObjectKeyFromObject(policy), &now); err != nil {
			return err
		}
		c := meta.FindStatusCondition(now.Status.Conditions, v1alpha1.ConditionReady)
		if c == nil || c.Status != is || now.Status.VerifiedDevices != verified {
			return fmt.Errorf("%s devices, condition %+v", now.Status.VerifiedDevices, c)
		}
		return nil
	})
}

// gone waits until an object no longer exists.
func (p *play) gone(object client.Object) {
	p.t.Helper()
	eventually(p.t, func() error {
		err := p.Get(p.t.Context(), client.ObjectKeyFromObject(object), object)
		if apierrors.IsNotFound(err) {
			return nil
		}
		return fmt.Errorf("%s is still there: %w", object.GetName(), err)
	})
}

func TestNodeStorageLife(t *testing.T) {
	p := newPlay(t)
	node := p.node("storage-0", nil)
	request := p.discovery(node, "")
	p.waitStorage(node, v1alpha1.ReasonDiscovering, 0)
	p.report(request, reported(t))
	found := p.waitStorage(node, v1alpha1.ReasonDiscovered, 2)
	if found.Status.BlankCount != 1 || found.Status.NodeUID != string(node.UID) || found.Status.OfferedCount != 0 {
		t.Errorf("status %+v", found.Status)
	}
	p.gone(request)
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: testNamespace,
		Name: jobspec.DiscoveryJobName(request.Name)}}
	p.gone(job)

	// A policy shows at once, without another look.
	policy := p.offer(node, testWWN)
	before := policy.DeepCopy()
	policy.Spec.Devices[0].Serial, policy.Spec.Devices[0].Size = "S1", resource.MustParse("1Ti")
	p.must(p.Patch(t.Context(), policy, client.MergeFrom(before)))
	eventually(t, func() error {
		var s v1alpha1.NodeStorage
		if err := p.Get(t.Context(), client.ObjectKeyFromObject(found), &s); err != nil {
			return err
		}
		if s.Status.OfferedCount != 1 || s.Status.Disks[0].OfferedBy[0] != policy.Name {
			return fmt.Errorf("offered: %d", s.Status.OfferedCount)
		}
		return nil
	})

	p.waitReady(policy, metav1.ConditionTrue, "1/1")

	// Somebody asks.
	asked := found.DeepCopy()
	asked.Annotations = map[string]string{v1alpha1.AnnotationDiscover: "now"}
	p.must(p.Patch(t.Context(), asked, client.MergeFrom(found)))
	p.report(p.discovery(node, request.UID), `{"version": 1}`)
	if again := p.waitStorage(node, v1alpha1.ReasonDiscovered, 0); again.Status.ObservedRequest != "now" {
		t.Errorf("observed request %q", again.Status.ObservedRequest)
	}
	p.waitReady(policy, metav1.ConditionFalse, "0/1")

	// The label goes.
	before2 := node.DeepCopy()
	delete(node.Labels, v1alpha1.LabelNodeAllowed)
	p.must(p.Patch(t.Context(), node, client.MergeFrom(before2)))
	p.gone(&v1alpha1.NodeStorage{ObjectMeta: metav1.ObjectMeta{Name: node.Name}})
}

// TestDiscoveryYieldsToABenchmark: the benchmark runs although a discovery had begun, the node is not looked at
// meanwhile, and again after it.
func TestDiscoveryYieldsToABenchmark(t *testing.T) {
	p := newPlay(t)
	node := p.node("storage-0", nil)
	request := p.discovery(node, "")
	p.policy(node)
	b := p.create(MakeBenchmark(p.namespace, "disk").Node(node.Name).Disk(testDisk).Obj())
	r := p.runner(b, "storage-0")
	p.waitStorage(node, v1alpha1.ReasonBenchmarkRuns, 0)
	p.gone(request.DeepCopy())
	r.complete()
	p.waitPhase(b, v1alpha1.PhaseComplete)
	p.waitReleased(node)
	p.report(p.discovery(node, request.UID), reported(t))
	p.waitStorage(node, v1alpha1.ReasonDiscovered, 2)
}

// cacheWithoutLeases is a cache that does not show the newest leases yet.
type cacheWithoutLeases struct{ client.Client }

func (c cacheWithoutLeases) List(ctx context.Context, list client.ObjectList, options ...client.ListOption) error {
	if _, leases := list.(*coordinationv1.LeaseList); leases {
		return nil
	}
	return c.Client.List(ctx, list, options...)
}

// TestDiscoveryOfANodeJustTaken: if only the API knows that a benchmark has taken the node, no discovery starts, and
// somebody's request for one still counts.
func TestDiscoveryOfANodeJustTaken(t *testing.T) {
	p := newPlay(t)
	node := p.node("storage-0", nil)
	p.report(p.discovery(node, ""), reported(t))
	found := p.waitStorage(node, v1alpha1.ReasonDiscovered, 2)
	lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: testNamespace, Name: string(node.UID),
		Labels: map[string]string{jobspec.LabelNodeHash: jobspec.NodeHash(node.Name)}}}
	p.must(p.Create(t.Context(), lease))
	p.waitStorage(node, v1alpha1.ReasonBenchmarkRuns, 2)
	asked := found.DeepCopy()
	asked.Annotations = map[string]string{v1alpha1.AnnotationDiscover: "now"}
	p.must(p.Patch(t.Context(), asked, client.MergeFrom(found)))

	n := &nodeStorages{&Reconciler{Client: cacheWithoutLeases{p.manager}, APIReader: p.manager, Config: testConfig(),
		Clock: clock.RealClock{}}}
	result, err := n.Reconcile(t.Context(), ctrl.Request{NamespacedName: types.NamespacedName{Name: node.Name}})
	p.must(err)
	if result.RequeueAfter == 0 {
		t.Error("nobody looks again")
	}
	p.must(p.Get(t.Context(), client.ObjectKeyFromObject(found), found))
	if found.Status.ObservedRequest != "" {
		t.Errorf("request %q is used up without a discovery", found.Status.ObservedRequest)
	}
	p.must(p.Delete(t.Context(), lease))
}

// TestForgedNodeStorage: whoever may write NodeStorages widens nothing. A benchmark needs a policy for the disk, and
// gets the policy's serial number and size, whatever is listed.
func TestForgedNodeStorage(t *testing.T) {
	p := newPlay(t)
	node := p.node("storage-0", nil)
	p.report(p.discovery(node, ""), reported(t))
	storage := p.waitStorage(node, v1alpha1.ReasonDiscovered, 2)
	forged := storage.DeepCopy()
	forged.Status.Disks = []v1alpha1.NodeDisk{{Path: testDisk, Device: "/dev/vdc", Serial: "forged", SizeBytes: 1 << 50,
		Verdict: v1alpha1.DiskBlank, OfferedBy: []string{"everybody"}}}
	p.must(p.Status().Patch(t.Context(), forged, client.MergeFrom(storage)))
	b := p.create(MakeBenchmark(p.namespace, "disk").Node(node.Name).Disk(testDisk).Obj())
	p.waitCondition(b, v1alpha1.ConditionAccepted, metav1.ConditionFalse, v1alpha1.ReasonNoPolicy)
	p.policy(node)
	if got := p.runner(b, "storage-0").run.Plan.Devices[0]; got.Serial != "zfsbench-d0" || got.SizeBytes != 1<<30 {
		t.Errorf("planned device = %+v, want what the policy promises", got)
	}
	// An object about no node goes.
	nobody := &v1alpha1.NodeStorage{ObjectMeta: metav1.ObjectMeta{Name: p.nodeName("nobody")}}
	p.must(p.Create(t.Context(), nobody))
	p.gone(nobody)
}

// TestEndDiscoveryWaitsForThePod: the runner would find disks open in it. One that hangs holds nobody up for long.
func TestEndDiscoveryWaitsForThePod(t *testing.T) {
	p := newPlay(t)
	node := p.node("storage-0", nil)
	p.discovery(node, "")
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: testNamespace, Name: p.nodeName("discovery"),
			Labels: jobspec.DiscoveryLabels(node.Name), Finalizers: []string{"example.com/hangs"}},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "runner", Image: "example/runner"}}},
	}
	p.must(p.Create(t.Context(), pod))
	r := &Reconciler{Client: p.manager, Config: testConfig()}
	wait := func(now time.Time) bool {
		waiting, err := r.endDiscovery(t.Context(), &scope{now: now}, node.Name)
		p.must(err)
		return waiting
	}
	if !wait(time.Now()) {
		t.Error("the benchmark does not wait for the discovery's pod")
	}
	p.must(p.Get(t.Context(), client.ObjectKeyFromObject(pod), pod))
	if pod.DeletionTimestamp == nil {
		t.Error("a pod without a Job is not deleted, and holds up the benchmark for ever")
	}
	if !wait(time.Now()) {
		t.Error("the benchmark does not wait for the pod to end")
	}
	if wait(time.Now().Add(5 * time.Minute)) {
		t.Error("a pod that hangs holds up benchmarks")
	}
	p.must(p.Get(t.Context(), client.ObjectKeyFromObject(pod), pod))
	before := pod.DeepCopy()
	pod.Finalizers = nil
	p.must(p.Patch(t.Context(), pod, client.MergeFrom(before)))
	p.gone(pod)
	if wait(time.Now()) {
		t.Error("the benchmark waits for a pod that is gone")
	}
}

// TestForgedPolicyStatus: consent is in a policy's spec alone. A status that calls a disk verified offers nothing, and
// a benchmark on an offered disk does not wait for a status.
func TestForgedPolicyStatus(t *testing.T) {
	p := newPlay(t)
	node := p.node("storage-0", nil)
	policy := p.offer(node, "/dev/disk/by-id/another")
	p.waitReady(policy, metav1.ConditionUnknown, "-/1")
	p.must(p.Get(t.Context(), client.ObjectKeyFromObject(policy), policy))
	forged := policy.DeepCopy()
	forged.Status.VerifiedDevices = "2/2"
	forged.Status.Devices = []v1alpha1.PolicyDeviceStatus{{Path: testDisk, State: v1alpha1.PolicyDeviceVerified}}
	p.must(p.Status().Patch(t.Context(), forged, client.MergeFrom(policy)))
	b := p.create(MakeBenchmark(p.namespace, "disk").Node(node.Name).Disk(testDisk).Obj())
	p.waitCondition(b, v1alpha1.ConditionAccepted, metav1.ConditionFalse, v1alpha1.ReasonNoPolicy)
	p.waitReady(policy, metav1.ConditionUnknown, "-/1")
	p.must(p.Get(t.Context(), client.ObjectKeyFromObject(policy), policy))
	before := policy.DeepCopy()
	policy.Spec.Devices[0].Path = testDisk
	p.must(p.Patch(t.Context(), policy, client.MergeFrom(before)))
	p.runner(b, "storage-0").complete()
	p.waitPhase(b, v1alpha1.PhaseComplete)
}
