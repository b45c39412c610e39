// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zfsbench.io/operator/api/v1alpha1"
)

// Three benchmarks want one node: they run in the order of their creation, and each learns its position.
func TestQueueOfThree(t *testing.T) {
	p := newPlay(t)
	node := p.node("storage-0", nil)
	queued := func(b *v1alpha1.ZfsBenchmark, position, behind string) {
		t.Helper()
		p.waitCondition(b, v1alpha1.ConditionRunning, metav1.ConditionFalse, v1alpha1.ReasonQueued, position, node.Name, p.namespace+"/"+behind)
	}
	a := p.create(MakeBenchmark(p.namespace, "a").Node(node.Name).Obj())
	ra := p.runner(a, "storage-0")
	p.nextSecond(a)
	// z before b: the names must not matter.
	second := p.create(MakeBenchmark(p.namespace, "z").Node(node.Name).Obj())
	queued(second, "1st", "a")
	p.nextSecond(second)
	third := p.create(MakeBenchmark(p.namespace, "b").Node(node.Name).Obj())
	queued(third, "2nd", "z")
	p.waitEvent(third, v1alpha1.ReasonQueued)

	ra.complete()
	p.waitPhase(a, v1alpha1.PhaseComplete)
	rz := p.runner(second, "storage-0")
	queued(third, "1st", "z")
	rz.complete()
	p.waitPhase(second, v1alpha1.PhaseComplete)
	p.runner(third, "storage-0").complete()
	p.waitPhase(third, v1alpha1.PhaseComplete)
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
	p.waitCondition(c, v1alpha1.ConditionRunning, metav1.ConditionFalse, v1alpha1.ReasonQueued, "2nd")
	p.must(p.Delete(t.Context(), b))
	p.waitGone(b)
	p.waitCondition(c, v1alpha1.ConditionRunning, metav1.ConditionFalse, v1alpha1.ReasonQueued, "1st", p.namespace+"/a")
	ra.complete()
	p.runner(c, "storage-0")
}
