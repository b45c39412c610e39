// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"errors"
	"fmt"
	"testing"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/kube/jobspec"
	"zfsbench.io/operator/internal/result"
)

// sharedDisk is one that several nodes reach.
const sharedDisk = "/dev/disk/by-id/wwn-0x5000c500a1b2c3d9"

// withoutItsNode starts a benchmark on a shared disk, and deletes its Node while the runner's pod runs. With again,
// there is another Node of the same name, as after the kubelet has registered once more.
func (p *play) withoutItsNode(again bool) (b *v1alpha1.ZfsBenchmark, r *runner, before, after *corev1.Node) {
	p.t.Helper()
	before = p.node("storage-0", nil)
	p.offer(before, sharedDisk)
	b = p.create(MakeBenchmark(p.namespace, "disk").Node(before.Name).Disk(sharedDisk).Obj())
	r = p.runner(b, "storage-0")
	r.report(result.StateRunning, nil)
	r.own()
	r.pod(jobspec.RunJobName(r.run.Base()), corev1.PodStatus{Phase: corev1.PodRunning})
	p.must(p.Delete(p.t.Context(), before))
	if again {
		after = p.node("storage-0", nil)
	}
	return b, r, before, after
}

// A kubelet that registers its node once more goes on running the pods it has: neither the node nor a disk that other
// nodes reach is given to others before the runner's pod has ended.
func TestNodeReplacedWhileRunning(t *testing.T) {
	p := newPlay(t)
	b, r, before, _ := p.withoutItsNode(true)
	p.wantHeld(before, b)
	r.endDeletion(jobspec.RunJobName(r.run.Base()))
	p.waitReleased(before)
	p.waitGone(p.diskLease(before, b))
	p.waitCondition(b, v1alpha1.ConditionFailed, metav1.ConditionTrue, v1alpha1.ReasonNodeLost)
	p.waitEvent(b, v1alpha1.ReasonNodeAbandoned)
}

// An administrator who says that the machine is off need not wait for its pods.
func TestReplacedNodeOutOfService(t *testing.T) {
	p := newPlay(t)
	b, _, before, after := p.withoutItsNode(true)
	p.wantHeld(before, b)
	p.taintOutOfService(after)
	p.waitReleased(before)
	p.waitGone(p.diskLease(before, b))
}

// The kubelet may be about to register again. If not, Kubernetes removes the pods of a node that is gone.
func TestNodeGoneWhileRunning(t *testing.T) {
	p := newPlay(t)
	b, r, before, _ := p.withoutItsNode(false)
	p.wantHeld(before, b)
	r.endDeletion(jobspec.RunJobName(r.run.Base()))
	p.waitReleased(before)
	p.waitGone(p.diskLease(before, b))
}

// Whatever a cache that is behind says, a node is not given away while a pod may run there, or nobody gives it up.
func TestAbandonLooksPastTheCache(t *testing.T) {
	tests := map[string]func(p *play, r *runner, node *corev1.Node){
		"the node is there": func(_ *play, r *runner, _ *corev1.Node) { r.complete() },
		"another node is there, and the pod": func(p *play, r *runner, node *corev1.Node) {
			r.pod(jobspec.RunJobName(r.run.Base()), corev1.PodStatus{Phase: corev1.PodRunning})
			p.must(p.Delete(p.t.Context(), node))
			p.node("storage-0", nil)
		},
		"a Job is there": func(p *play, _ *runner, node *corev1.Node) { p.must(p.Delete(p.t.Context(), node)) },
	}
	for name, prepare := range tests {
		t.Run(name, func(t *testing.T) {
			p := newPlay(t)
			node := p.node("storage-0", nil)
			b := p.create(MakeBenchmark(p.namespace, "files").Node(node.Name).Obj())
			r := p.runner(b, "storage-0")
			lease := p.lease(node)
			prepare(p, r, node)
			other, _ := p.newReconciler()
			behind := &nodeRun{name: node.Name, uid: string(node.UID), lease: lease, ours: true}
			eventually(t, func() error {
				s := &scope{benchmark: p.get(b)}
				if err := other.abandon(t.Context(), s, behind); !errors.Is(err, errStale) {
					return fmt.Errorf("it does not say that the cache is behind, but %w", err)
				}
				return nil
			})
		})
	}
}

func (p *play) diskLease(node *corev1.Node, b *v1alpha1.ZfsBenchmark) *coordinationv1.Lease {
	return jobspec.DiskLease(testNamespace, b, node.Name, sharedDisk)
}

// wantHeld wants a node and the shared disk to be held while the runner's Job is being deleted.
func (p *play) wantHeld(node *corev1.Node, b *v1alpha1.ZfsBenchmark) {
	p.t.Helper()
	p.waitCondition(b, v1alpha1.ConditionRunning, metav1.ConditionTrue, v1alpha1.ReasonRunning,
		node.Name+" is given up when", "pod")
	if p.lease(node) == nil {
		p.t.Error("the node was given up while the runner's pod may run")
	}
	if err := p.Get(p.t.Context(), client.ObjectKeyFromObject(p.diskLease(node, b)), &coordinationv1.Lease{}); err != nil {
		p.t.Errorf("the disk was given to others while the runner's pod may write to it: %v", err)
	}
}
