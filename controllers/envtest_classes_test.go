// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/kube/jobspec"
	"zfsbench.io/operator/internal/result"
)

// classDisk is the path of a disk of the tests about classes, on one node.
func classDisk(node *corev1.Node, name string) string {
	return "/dev/disk/by-id/nvme-" + node.Name + "-" + name
}

// offerClass offers disks of a node, of 1 GiB and with the class nvme, to the test's namespace.
func (p *play) offerClass(node *corev1.Node, names ...string) *v1alpha1.BenchmarkDevicePolicy {
	p.t.Helper()
	policy := &v1alpha1.BenchmarkDevicePolicy{
		ObjectMeta: metav1.ObjectMeta{Name: node.Name},
		Spec: v1alpha1.BenchmarkDevicePolicySpec{
			Node: v1alpha1.PolicyNode{Name: node.Name, UID: string(node.UID)}, Namespaces: []string{p.namespace},
			Devices: classOffers(node, names...),
		},
	}
	p.must(p.Create(p.t.Context(), policy))
	return policy
}

func classOffers(node *corev1.Node, names ...string) []v1alpha1.PolicyDevice {
	var offers []v1alpha1.PolicyDevice
	for _, name := range names {
		offers = append(offers, v1alpha1.PolicyDevice{Path: classDisk(node, name), Serial: "S" + name,
			Size: resource.MustParse("1Gi"), Class: "nvme"})
	}
	return offers
}

// seeClass writes into the NodeStorage of a node what a discovery would have found, or what somebody forges.
func (p *play) seeClass(node *corev1.Node, disks map[string]v1alpha1.DiskVerdict) {
	p.t.Helper()
	eventually(p.t, func() error {
		var storage v1alpha1.NodeStorage
		if err := p.Get(p.t.Context(), client.ObjectKey{Name: node.Name}, &storage); err != nil {
			return err
		}
		before := storage.DeepCopy()
		now := metav1.Now()
		storage.Status.NodeUID, storage.Status.ObservedAt, storage.Status.Disks = string(node.UID), &now, nil
		for name, verdict := range disks {
			storage.Status.Disks = append(storage.Status.Disks, v1alpha1.NodeDisk{Path: classDisk(node, name),
				Device: "/dev/" + name, Serial: "S" + name, SizeBytes: 1 << 30, Verdict: verdict})
		}
		return p.Status().Patch(p.t.Context(), &storage, client.MergeFrom(before))
	})
}

// onClassDisks is a mirror of two disks of the class nvme on these nodes.
func (p *play) onClassDisks(nodes ...*corev1.Node) *v1alpha1.ZfsBenchmark {
	b := MakeBenchmark(p.namespace, "class")
	for _, node := range nodes {
		b = b.Node(node.Name)
	}
	two := int32(2)
	obj := b.Obj()
	obj.Spec.Devices = []v1alpha1.Device{{Name: "d", Class: "nvme", Count: &two}}
	obj.Spec.Pool = &v1alpha1.PoolSpec{Layout: v1alpha1.LayoutMirror, Devices: []string{"d0", "d1"}}
	return obj
}

// chosenText is what status says about each node's disks, with the last word of their paths.
func chosenText(b *v1alpha1.ZfsBenchmark) string {
	var words []string
	for _, n := range b.Status.Nodes {
		for _, d := range n.Disks {
			words = append(words, d.Name+"="+d.Path[strings.LastIndex(d.Path, "-")+1:])
		}
	}
	return strings.Join(words, " ")
}

// planned are the disks of a plan in the same form.
func planned(r *runner) string {
	var words []string
	for _, d := range r.run.Plan.Devices {
		words = append(words, d.Name+"="+d.Path[strings.LastIndex(d.Path, "-")+1:])
	}
	return strings.Join(words, " ")
}

// TestClassOnTwoNodes: each node has disks of its own. Too few on one of them keep the benchmark waiting, with numbers,
// until a discovery finds what is missing.
func TestClassOnTwoNodes(t *testing.T) {
	p := newPlay(t)
	one, two := p.node("storage-0", nil), p.node("storage-1", nil)
	p.offerClass(one, "c", "a", "b")
	p.offerClass(two, "x", "y", "z")
	p.seeClass(two, map[string]v1alpha1.DiskVerdict{"x": v1alpha1.DiskInUse, "z": v1alpha1.DiskBlank})
	b := p.create(p.onClassDisks(one, two))
	p.waitCondition(b, v1alpha1.ConditionAccepted, metav1.ConditionFalse, v1alpha1.ReasonTooFewDisks,
		"Node "+two.Name+": class nvme: 2 disks are needed, 1 free: 3 offered to namespace "+p.namespace+
			", 1 in use or not blank, 1 missing.")
	p.waitEvent(b, v1alpha1.ReasonTooFewDisks)
	p.seeClass(two, map[string]v1alpha1.DiskVerdict{"x": v1alpha1.DiskInUse, "y": v1alpha1.DiskBlank,
		"z": v1alpha1.DiskBlank})
	p.waitCondition(b, v1alpha1.ConditionAccepted, metav1.ConditionTrue, v1alpha1.ReasonAccepted)
	rs := []*runner{p.runner(b, "storage-0"), p.runner(b, "storage-1")}
	if got := planned(rs[0]) + ", " + planned(rs[1]); got != "d0=a d1=b, d0=y d1=z" {
		t.Errorf("planned %s", got)
	}
	for _, r := range rs {
		r.complete()
	}
	if got := chosenText(p.waitPhase(b, v1alpha1.PhaseComplete)); got != "d0=a d1=b d0=y d1=z" {
		t.Errorf("status %s", got)
	}
}

// TestClassOfAnotherNamespace: a class is no consent, and neither is a NodeStorage that calls a disk blank and offered.
func TestClassOfAnotherNamespace(t *testing.T) {
	p := newPlay(t)
	node := p.node("storage-0", nil)
	p.offerClass(node, "b")
	p.seeClass(node, map[string]v1alpha1.DiskVerdict{"a": v1alpha1.DiskBlank, "b": v1alpha1.DiskBlank,
		"c": v1alpha1.DiskBlank})
	elsewhere := &v1alpha1.BenchmarkDevicePolicy{ObjectMeta: metav1.ObjectMeta{Name: node.Name + "-else"}}
	elsewhere.Spec = v1alpha1.BenchmarkDevicePolicySpec{Namespaces: []string{"another"},
		Node: v1alpha1.PolicyNode{Name: node.Name, UID: string(node.UID)}, Devices: classOffers(node, "a", "c")}
	p.must(p.Create(t.Context(), elsewhere))
	b := p.create(p.onClassDisks(node))
	p.waitCondition(b, v1alpha1.ConditionAccepted, metav1.ConditionFalse, v1alpha1.ReasonTooFewDisks,
		"2 disks are needed, 1 free: 1 offered to namespace "+p.namespace)
	elsewhere.Spec.Namespaces = []string{p.namespace}
	p.updatePolicy(elsewhere)
	if got := planned(p.runner(b, "storage-0")); got != "d0=a d1=b" {
		t.Errorf("planned %s", got)
	}
}

// TestChosenDisksStay: neither another policy nor another discovery nor another manager moves a benchmark to another
// disk, before its start or after it. Only a disk that is no longer offered ends it.
func TestChosenDisksStay(t *testing.T) {
	p := newPlay(t)
	node := p.node("storage-0", nil)
	policy := p.offerClass(node, "b", "c")
	first := p.runner(p.create(MakeBenchmark(p.namespace, "first").Node(node.Name).Obj()), "storage-0")
	b := p.create(p.onClassDisks(node))
	if got := chosenText(p.waitPhase(b, v1alpha1.PhaseQueued)); got != "d0=b d1=c" {
		t.Fatalf("chosen: %s", got)
	}
	policy.Spec.Devices = classOffers(node, "a", "b", "c")
	p.updatePolicy(policy)
	p.seeClass(node, map[string]v1alpha1.DiskVerdict{"a": v1alpha1.DiskBlank, "b": v1alpha1.DiskInUse})
	first.complete()
	r := p.runner(b, "storage-0")
	if got := planned(r); got != "d0=b d1=c" {
		t.Errorf("planned %s", got)
	}

	r.report(result.StateRunning, nil)
	before := p.waitCondition(b, v1alpha1.ConditionRunning, metav1.ConditionTrue, v1alpha1.ReasonRunning, "0 of 1")
	p.reconcileAfterRestart(b)
	if diff := cmp.Diff(before.Status.Nodes, p.get(b).Status.Nodes); diff != "" {
		t.Errorf("status after a restart (-before +after):\n%s", diff)
	}
	// The disk is still offered without its class: consent is to disks.
	policy.Spec.Devices[1].Class = ""
	p.updatePolicy(policy)
	p.reconcileAfterRestart(b)
	if now := p.get(b); now.Status.Phase != v1alpha1.PhaseRunning || chosenText(now) != "d0=b d1=c" {
		t.Errorf("phase %s with %s", now.Status.Phase, chosenText(now))
	}
	policy.Spec.Devices = classOffers(node, "a", "c")
	p.updatePolicy(policy)
	r.endInterrupted(jobspec.RunJobName(r.run.Base()))
	p.waitCondition(b, v1alpha1.ConditionFailed, metav1.ConditionTrue, v1alpha1.ReasonPolicyRevoked,
		classDisk(node, "b"))
}

// reconcileAfterRestart lets another manager, which has just started, look at a benchmark.
func (p *play) reconcileAfterRestart(b *v1alpha1.ZfsBenchmark) {
	p.t.Helper()
	restarted, _ := p.newReconciler()
	eventually(p.t, func() error {
		_, err := restarted.Reconcile(p.t.Context(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(b)})
		if err != nil {
			return fmt.Errorf("reconcile: %w", err)
		}
		return nil
	})
}

// TestForgedChoice: a status that names another disk, or none, gives a benchmark nothing that a policy does not offer.
func TestForgedChoice(t *testing.T) {
	p := newPlay(t)
	node := p.node("storage-0", nil)
	p.offerClass(node, "a", "b")
	p.runner(p.create(MakeBenchmark(p.namespace, "first").Node(node.Name).Obj()), "storage-0")
	b := p.create(p.onClassDisks(node))
	p.waitPhase(b, v1alpha1.PhaseQueued)
	forge := func(path string) {
		eventually(t, func() error {
			now := p.get(b)
			now.Status.Nodes[0].Disks[1].Path = path
			return p.Status().Update(t.Context(), now)
		})
	}
	forge(classDisk(node, "system"))
	p.waitCondition(b, v1alpha1.ConditionAccepted, metav1.ConditionFalse, v1alpha1.ReasonNoPolicy,
		classDisk(node, "system"))
	forge("")
	p.waitCondition(b, v1alpha1.ConditionAccepted, metav1.ConditionFalse, v1alpha1.ReasonPolicyMismatch,
		"its status no longer says so")
}
