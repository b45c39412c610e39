// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
)

// submitted is how many benchmarks contend for two nodes.
const submitted = 20

// twoNodes are the first two storage nodes, labelled for the operator. The default cluster has one; `make test-nodes`
// starts one with two.
func twoNodes(t *testing.T) []string {
	t.Helper()
	nodes := &corev1.NodeList{}
	if err := suite.client.List(t.Context(), nodes); err != nil {
		t.Fatal(err)
	}
	if len(nodes.Items) < 2 {
		t.Skip("the cluster has one storage node; `make test-nodes` runs this test on two")
	}
	slices.SortFunc(nodes.Items, func(a, b corev1.Node) int { return cmp.Compare(a.Name, b.Name) })
	var names []string
	for i := range nodes.Items[:2] {
		node := &nodes.Items[i]
		patch := client.MergeFrom(node.DeepCopy())
		metav1.SetMetaDataLabel(&node.ObjectMeta, v1alpha1.LabelNodeAllowed, "true")
		if err := suite.client.Patch(t.Context(), node, patch); err != nil {
			t.Fatal(err)
		}
		names = append(names, node.Name)
	}
	return names
}

// on moves the benchmark to other nodes than the one under test.
func (b benchmark) on(nodes ...string) benchmark {
	b.obj.Spec.Nodes.Names = nodes
	return b
}

// TestTwoNodes runs two benchmarks at once, each on a node of its own, and then one on both.
func TestTwoNodes(t *testing.T) {
	nodes := twoNodes(t)
	t.Run("two benchmarks", func(t *testing.T) {
		first := newBenchmark("node-first").on(nodes[0]).files(1, "256Mi").fio("steady", v1alpha1.FioRandRead, "16k", "8Mi",
			timeBased(time.Minute)).apply(t)
		second := newBenchmark("node-second").on(nodes[1]).files(1, "256Mi").fio("steady", v1alpha1.FioRandRead, "16k", "8Mi",
			timeBased(time.Minute)).apply(t)
		a, b := readDocuments(t, awaitComplete(t, first)).first(t), readDocuments(t, awaitComplete(t, second)).first(t)
		if !overlap(a, b) {
			t.Errorf("one waited for the other: %v to %v, and %v to %v", a.Started, a.Finished, b.Started, b.Finished)
		}
	})
	t.Run("one benchmark", func(t *testing.T) {
		obj := newBenchmark("node-both").on(nodes...).files(1, "256Mi").seqWrite().apply(t)
		got := awaitComplete(t, obj)
		var measured []string
		for _, trial := range readDocuments(t, got).trials {
			measured = append(measured, trial.Node)
		}
		if slices.Sort(measured); !slices.Equal(measured, nodes) {
			t.Errorf("trials on %v, want one on each of %v", measured, nodes)
		}
		for _, node := range got.Status.Nodes {
			if node.Trials.Completed != 1 {
				t.Errorf("node %s completed %d trials, want 1", node.Name, node.Trials.Completed)
			}
		}
	})
}

// TestContention submits many benchmarks at once: each node runs one at a time, in order of creation and then of name.
func TestContention(t *testing.T) {
	nodes := twoNodes(t)
	var objects []*v1alpha1.ZfsBenchmark
	for i := range submitted {
		b := newBenchmark(fmt.Sprintf("contend-%02d", i)).on(nodes[i%2]).files(1, "128Mi").fio("write", v1alpha1.FioWrite,
			"128k", "4Mi")
		if err := suite.client.Create(t.Context(), b.obj); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { remove(t, b.obj) })
		objects = append(objects, b.obj)
	}
	byNode := map[string][]run{}
	for _, obj := range objects {
		awaitWithin(t, submitted*patience, obj.Name+": Finished", func() (bool, error) {
			got := &v1alpha1.ZfsBenchmark{}
			err := suite.client.Get(context.Background(), client.ObjectKeyFromObject(obj), got)
			return meta.IsStatusConditionTrue(got.Status.Conditions, v1alpha1.ConditionFinished), err
		}, func() string { return describe(obj) })
		trial := readDocuments(t, awaitComplete(t, obj)).first(t)
		byNode[trial.Node] = append(byNode[trial.Node], run{obj: obj, trial: trial})
	}
	for node, runs := range byNode {
		checkOrder(t, node, runs)
	}
	fmt.Printf("contention: %d benchmarks on %d nodes\n", len(objects), len(byNode))
}

// run is a benchmark with its only trial.
type run struct {
	obj   *v1alpha1.ZfsBenchmark
	trial result.Trial
}

// checkOrder wants the runs one after the other, in the order of the queue.
func checkOrder(t *testing.T, node string, runs []run) {
	t.Helper()
	if len(runs) != submitted/2 {
		t.Errorf("%d benchmarks ran on %s, want %d", len(runs), node, submitted/2)
	}
	// The first may have begun before a later one with the same creation second was there.
	first := slices.MinFunc(runs, func(a, b run) int { return a.trial.Started.Compare(b.trial.Started) })
	// They are numbered as they were created. Benchmarks created in the same second run in the order of their numbers.
	slices.SortStableFunc(runs, func(a, b run) int {
		return cmp.Or(
			-cmp.Compare(boolInt(a.obj == first.obj), boolInt(b.obj == first.obj)),
			a.obj.CreationTimestamp.Compare(b.obj.CreationTimestamp.Time),
		)
	})
	for i := range runs[1:] {
		before, next := runs[i], runs[i+1]
		if next.trial.Started.Before(before.trial.Finished) {
			t.Errorf("on %s %s began %v, before %s ended %v",
				node, next.obj.Name, next.trial.Started, before.obj.Name, before.trial.Finished)
		}
	}
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func overlap(a, b result.Trial) bool {
	return a.Started.Before(b.Finished) && b.Started.Before(a.Finished)
}
