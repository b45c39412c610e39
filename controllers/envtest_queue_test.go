// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zfsbench.io/operator/api/v1alpha1"
)

// Three benchmarks want one node: they run in the order of their creation, and each learns whom it is behind.
func TestQueueOfThree(t *testing.T) {
	p := newPlay(t)
	node := p.node("storage-0", nil)
	queued := func(b *v1alpha1.ZfsBenchmark, behind string) {
		t.Helper()
		p.waitCondition(b, v1alpha1.ConditionRunning, metav1.ConditionFalse, v1alpha1.ReasonQueued, node.Name, "behind "+
			p.namespace+"/"+behind)
	}
	a := p.create(MakeBenchmark(p.namespace, "a").Node(node.Name).Obj())
	ra := p.runner(a, "storage-0")
	p.nextSecond(a)
	// z before b: the names must not matter.
	second := p.create(MakeBenchmark(p.namespace, "z").Node(node.Name).Obj())
	queued(second, "a")
	p.nextSecond(second)
	third := p.create(MakeBenchmark(p.namespace, "b").Node(node.Name).Obj())
	queued(third, "z")
	p.waitEvent(third, v1alpha1.ReasonQueued)

	ra.complete()
	p.waitPhase(a, v1alpha1.PhaseComplete)
	rz := p.runner(second, "storage-0")
	queued(third, "z")
	rz.complete()
	p.waitPhase(second, v1alpha1.PhaseComplete)
	p.runner(third, "storage-0").complete()
	p.waitPhase(third, v1alpha1.PhaseComplete)
}

// A namespace that comes later does not wait for all that another one has queued: they take turns.
func TestNamespacesTakeTurns(t *testing.T) {
	p := newPlay(t)
	node := p.node("storage-0", nil)
	other := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "test-"}}
	p.must(p.Create(t.Context(), other))
	first := p.create(MakeBenchmark(p.namespace, "a-1").Node(node.Name).Obj())
	running := p.runner(first, "storage-0")
	p.nextSecond(first)
	second := p.create(MakeBenchmark(p.namespace, "a-2").Node(node.Name).Obj())
	p.waitPhase(second, v1alpha1.PhaseQueued)
	p.nextSecond(second)
	late := p.create(MakeBenchmark(other.Name, "b").Node(node.Name).Obj())
	p.waitCondition(late, v1alpha1.ConditionRunning, metav1.ConditionFalse, v1alpha1.ReasonQueued, "behind "+p.namespace+
		"/a-1")

	running.complete()
	p.waitPhase(first, v1alpha1.PhaseComplete)
	running = p.runner(late, "storage-0")
	p.waitCondition(second, v1alpha1.ConditionRunning, metav1.ConditionFalse, v1alpha1.ReasonQueued, "behind "+other.Name+
		"/b")
	running.complete()
	p.waitPhase(late, v1alpha1.PhaseComplete)
	p.runner(second, "storage-0").complete()
	p.waitPhase(second, v1alpha1.PhaseComplete)
}

// nextSecond waits until a new object is younger than b: creation times have whole seconds.
func (p *play) nextSecond(b *v1alpha1.ZfsBenchmark) {
	p.t.Helper()
	created := p.get(b).CreationTimestamp.Time
	eventually(p.t, func() error {
		if time.Now().Truncate(time.Second).After(created) {
			return nil
		}
		return fmt.Errorf("still the second %v", created)
	})
}

// A benchmark that is deleted while it waits leaves the queue.
func TestDeletionLeavesQueue(t *testing.T) {
	p := newPlay(t)
	node := p.node("storage-0", nil)
	a := p.create(MakeBenchmark(p.namespace, "a").Node(node.Name).Obj())
	ra := p.runner(a, "storage-0")
	p.nextSecond(a)
	b := p.create(MakeBenchmark(p.namespace, "b").Node(node.Name).Obj())
	p.waitPhase(b, v1alpha1.PhaseQueued)
	p.nextSecond(b)
	c := p.create(MakeBenchmark(p.namespace, "c").Node(node.Name).Obj())
	p.waitCondition(c, v1alpha1.ConditionRunning, metav1.ConditionFalse, v1alpha1.ReasonQueued, "behind "+p.namespace+"/b")
	p.must(p.Delete(t.Context(), b))
	p.waitGone(b)
	p.waitCondition(c, v1alpha1.ConditionRunning, metav1.ConditionFalse, v1alpha1.ReasonQueued, "behind "+p.namespace+"/a")
	ra.complete()
	p.runner(c, "storage-0")
}
