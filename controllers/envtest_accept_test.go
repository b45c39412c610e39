// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/api/v1alpha1"
)

const testDisk = "/dev/disk/by-id/virtio-zfsbench-d0"

// policy offers testDisk of a node to the test's namespace.
func (p *play) policy(node *corev1.Node) *v1alpha1.BenchmarkDevicePolicy {
	p.t.Helper()
	return p.offer(node, testDisk)
}

// offer offers any disk of a node to the test's namespace.
func (p *play) offer(node *corev1.Node, path string) *v1alpha1.BenchmarkDevicePolicy {
	p.t.Helper()
	policy := &v1alpha1.BenchmarkDevicePolicy{
		ObjectMeta: metav1.ObjectMeta{Name: node.Name},
		Spec: v1alpha1.BenchmarkDevicePolicySpec{
			Node:       v1alpha1.PolicyNode{Name: node.Name, UID: string(node.UID)},
			Namespaces: []string{p.namespace},
			Devices:    []v1alpha1.PolicyDevice{{Path: path, Serial: "zfsbench-d0", Size: resource.MustParse("1Gi")}},
		},
	}
	p.must(p.Create(p.t.Context(), policy))
	return policy
}

// updatePolicy changes the spec of a policy, whose status the manager may write at the same time.
func (p *play) updatePolicy(policy *v1alpha1.BenchmarkDevicePolicy) {
	p.t.Helper()
	eventually(p.t, func() error {
		var now v1alpha1.BenchmarkDevicePolicy
		if err := p.Get(p.t.Context(), client.ObjectKeyFromObject(policy), &now); err != nil {
			return err
		}
		now.Spec = policy.Spec
		return p.Update(p.t.Context(), &now)
	})
}

func TestWaitsForPolicyAndSaysWhich(t *testing.T) {
	p := newPlay(t)
	node := p.node("storage-0", nil)
	b := p.create(MakeBenchmark(p.namespace, "disk").Node(node.Name).Disk(testDisk).Obj())
	p.waitCondition(b, v1alpha1.ConditionAccepted, metav1.ConditionFalse, v1alpha1.ReasonNoPolicy,
		node.Name, string(node.UID), testDisk, p.namespace, "BenchmarkDevicePolicy")
	p.waitPhase(b, v1alpha1.PhaseWaiting)
	p.waitEvent(b, v1alpha1.ReasonNoPolicy)
	p.policy(node)
	p.waitCondition(b, v1alpha1.ConditionAccepted, metav1.ConditionTrue, v1alpha1.ReasonAccepted)
	r := p.runner(b, "storage-0")
	if got := r.run.Plan.Devices[0]; got.Serial != "zfsbench-d0" || got.SizeBytes != 1<<30 {
		t.Errorf("planned device = %+v, want what the policy promises", got)
	}
}

// waitEvent waits for an event about the benchmark.
func (p *play) waitEvent(b *v1alpha1.ZfsBenchmark, reason string) {
	p.t.Helper()
	eventually(p.t, func() error {
		var list eventsv1.EventList
		if err := p.List(p.t.Context(), &list, client.InNamespace(b.Namespace)); err != nil {
			return err
		}
		var seen []string
		for _, e := range list.Items {
			if e.Regarding.Name == b.Name && e.Reason == reason {
				return nil
			}
			seen = append(seen, e.Reason)
		}
		return fmt.Errorf("no event %s, only %s", reason, strings.Join(seen, ", "))
	})
}

func TestWaitsForLabel(t *testing.T) {
	p := newPlay(t)
	node := p.node("storage-0", func(n *corev1.Node) { n.Labels = nil })
	b := p.create(MakeBenchmark(p.namespace, "files").Node(node.Name).Obj())
	p.waitCondition(b, v1alpha1.ConditionAccepted, metav1.ConditionFalse, v1alpha1.ReasonNodeNotAllowed,
		"zfsbench.io/allowed=true", node.Name)
	labelled := node.DeepCopy()
	labelled.Labels = map[string]string{v1alpha1.LabelNodeAllowed: "true"}
	p.must(p.Patch(t.Context(), labelled, client.MergeFrom(node)))
	p.waitCondition(b, v1alpha1.ConditionAccepted, metav1.ConditionTrue, v1alpha1.ReasonAccepted)
	p.runner(b, "storage-0")
}

func TestWaitsForReadyNode(t *testing.T) {
	p := newPlay(t)
	node := p.node("storage-0", nil)
	p.setReady(node, corev1.ConditionFalse)
	b := p.create(MakeBenchmark(p.namespace, "files").Node(node.Name).Obj())
	p.waitCondition(b, v1alpha1.ConditionAccepted, metav1.ConditionFalse, v1alpha1.ReasonNodeNotReady, node.Name)
	p.setReady(node, corev1.ConditionTrue)
	p.runner(b, "storage-0")
}

// setReady changes the node's Ready condition.
func (p *play) setReady(node *corev1.Node, status corev1.ConditionStatus) {
	p.t.Helper()
	node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: status}}
	p.must(p.Status().Update(p.t.Context(), node))
}

func TestWaitsForNodeThatDoesNotExist(t *testing.T) {
	p := newPlay(t)
	b := p.create(MakeBenchmark(p.namespace, "files").Node(p.nodeName("storage-0")).Obj())
	p.waitCondition(b, v1alpha1.ConditionAccepted, metav1.ConditionFalse, v1alpha1.ReasonNodeNotFound,
		p.nodeName("storage-0"))
	p.node("storage-0", nil)
	p.runner(b, "storage-0")
}

func TestSelectorIsResolvedOnce(t *testing.T) {
	p := newPlay(t)
	label := func(n *corev1.Node) { n.Labels["test"] = p.namespace }
	p.node("storage-0", label)
	b := p.create(MakeBenchmark(p.namespace, "files").Selector("test", p.namespace).Obj())
	r := p.runner(b, "storage-0")
	p.node("storage-1", label)
	r.complete()
	now := p.waitPhase(b, v1alpha1.PhaseComplete)
	if len(now.Status.Nodes) != 1 {
		t.Errorf("nodes = %v, want the one that matched when the benchmark was accepted", now.Status.Nodes)
	}
}

// A spec that is invalid can never run, whatever becomes of nodes and policies: the benchmark ends.
func TestInvalidSpecEnds(t *testing.T) {
	p := newPlay(t)
	bad := MakeBenchmark(p.namespace, "selector").Selector("a", "b").Threshold("1Mi", "").Obj()
	bad.Spec.Nodes.Selector.MatchExpressions = []metav1.LabelSelectorRequirement{{Key: "storage", Operator: "Near",
		Values: []string{"a"}}}
	p.create(bad)
	p.waitPhase(bad, v1alpha1.PhaseFailed)
	p.waitCondition(bad, v1alpha1.ConditionAccepted, metav1.ConditionFalse, v1alpha1.ReasonInvalidSpec,
		"spec.nodes.selector.matchExpressions[0].operator", "create a new benchmark")
	p.waitCondition(bad, v1alpha1.ConditionFinished, metav1.ConditionTrue, v1alpha1.ReasonInvalidSpec)
	p.waitCondition(bad, v1alpha1.ConditionFailed, metav1.ConditionTrue, v1alpha1.ReasonInvalidSpec)
	now := p.waitCondition(bad, v1alpha1.ConditionThresholdsMet, metav1.ConditionFalse, v1alpha1.ReasonBenchmarkFailed)
	if len(now.Status.Nodes) > 0 || now.Status.CompletionTime == nil {
		t.Errorf("nodes %v, completed %v", now.Status.Nodes, now.Status.CompletionTime)
	}
	p.must(p.Delete(t.Context(), bad))
	p.waitGone(bad)
}

// A plan that no ConfigMap holds is refused before any node is taken.
func TestPlanThatIsTooLargeEnds(t *testing.T) {
	p := newPlay(t)
	large := MakeBenchmark(p.namespace, "large").Node(p.node("storage-0", nil).Name).Repetitions(1000).Obj()
	axis := v1alpha1.Axis{Name: strings.Repeat("a", 32)}
	for _, size := range []string{"8K", "16K", "32K", "64K", "128K", "256K", "512K", "1M"} {
		axis.Values = append(axis.Values, v1alpha1.Overlay{
			Name: v1alpha1.AxisValueName(size + strings.Repeat("x", 59)),
			Dataset: &v1alpha1.DatasetOverlay{Properties: map[string]v1alpha1.OverlayProperty{
				"recordsize": v1alpha1.OverlayProperty(size),
			}},
		})
	}
	large.Spec.Matrix = &v1alpha1.MatrixSpec{Axes: []v1alpha1.Axis{axis}}
	p.create(large)
	now := p.waitCondition(large, v1alpha1.ConditionAccepted, metav1.ConditionFalse, v1alpha1.ReasonInvalidSpec,
		"larger than 900 KiB", "trials would fit")
	if now.Status.Phase != v1alpha1.PhaseFailed || len(now.Status.Nodes) > 0 {
		t.Errorf("phase %s, nodes %v", now.Status.Phase, now.Status.Nodes)
	}
}

func TestSpecIsImmutable(t *testing.T) {
	p := newPlay(t)
	node := p.node("storage-0", nil)
	b := p.create(MakeBenchmark(p.namespace, "files").Node(node.Name).Obj())
	p.runner(b, "storage-0")
	// The manager changes the object at the same time.
	err := retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		now := p.get(b)
		now.Spec.Workloads[0].Fio.BS = "4k"
		return p.Update(t.Context(), now)
	})
	if err == nil || !strings.Contains(err.Error(), "immutable") {
		t.Errorf("changing a workload = %v, want it to be immutable", err)
	}
}
