// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/kube/jobspec"
	"zfsbench.io/operator/internal/result"
)

// startWithin is how long after a benchmark was accepted a node may be without its Job.
const startWithin = 10 * time.Second

// fleet is two nodes whose blank disks are offered by class.
func fleet(t *testing.T) []string {
	t.Helper()
	nodes := twoNodes(t)
	offerBlankDisks(t, nodes[1])
	return nodes
}

// offerBlankDisks offers what a discovery finds blank on a node, with nothing typed by hand.
func offerBlankDisks(t *testing.T, node string) {
	t.Helper()
	storage := discoverOn(t, node)
	policy := &v1alpha1.BenchmarkDevicePolicy{ObjectMeta: metav1.ObjectMeta{Name: "e2e-" + node}}
	policy.Spec.Node = v1alpha1.PolicyNode{Name: node, UID: storage.Status.NodeUID}
	policy.Spec.Namespaces = []string{benchNamespace}
	for _, found := range storage.Status.Disks {
		if found.Verdict != v1alpha1.DiskBlank {
			continue
		}
		if slices.ContainsFunc(suite.disks, func(d disk) bool { return d.serial == found.Serial }) {
			t.Fatalf("disk %s of %s has the serial number of one of %s", found.Path, node, suite.node.Name)
		}
		d := disk{path: found.Path, serial: found.Serial, size: found.SizeBytes}
		policy.Spec.Devices = append(policy.Spec.Devices, d.consent())
	}
	if err := suite.client.Create(t.Context(), policy); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := client.IgnoreNotFound(suite.client.Delete(context.Background(), policy)); err != nil {
			t.Error(err)
		}
	})
}

// onFleet runs on every labelled node, with two disks of the class on each.
func (b benchmark) onFleet() benchmark {
	b.obj.Spec.Nodes = v1alpha1.NodesSpec{
		Selector: &metav1.LabelSelector{MatchLabels: map[string]string{v1alpha1.LabelNodeAllowed: "true"}},
	}
	return b.ofClass(v1alpha1.LayoutMirror, 2)
}

// TestFleet runs one benchmark on two nodes with different serial numbers, chosen by selector and class. Both nodes
// start at once and measure side by side, and the report has the results of each and says whether they differ.
func TestFleet(t *testing.T) {
	nodes := fleet(t)
	b := newBenchmark("fleet").onFleet().fio("write", v1alpha1.FioWrite, "128k", "4Mi", timeBased(5*time.Second)).
		repetitions(3)
	b.obj.Spec.Matrix = &v1alpha1.MatrixSpec{Axes: []v1alpha1.Axis{{Name: "recordsize", Property: "recordsize",
		PropertyValues: []v1alpha1.AxisValueName{"16K", "128K"}}}}
	b.obj.Spec.Comparison = &v1alpha1.ComparisonSpec{Reference: "recordsize=128K"}
	obj := b.apply(t)
	startedAt := awaitJobs(t, obj, nodes)
	got := awaitComplete(t, obj)
	accepted := meta.FindStatusCondition(got.Status.Conditions, v1alpha1.ConditionAccepted)
	for node, at := range startedAt {
		if late := at.Sub(accepted.LastTransitionTime.Time); late > startWithin {
			t.Errorf("the Job of %s came %s after the benchmark was accepted, want at most %s", node, late, startWithin)
		}
	}
	paths := map[string]bool{}
	// In each of three repetitions, the other variant is measured once and the reference twice.
	for _, node := range got.Status.Nodes {
		if node.Trials.Completed != 9 || len(node.Disks) != 2 {
			t.Errorf("%s: %d trials, disks %+v, want 9 trials and 2 disks", node.Name, node.Trials.Completed, node.Disks)
		}
		for _, d := range node.Disks {
			paths[d.Path] = true
		}
	}
	if len(paths) != 4 {
		t.Errorf("the nodes used the disks %v, want two of their own each", paths)
	}
	docs := readDocuments(t, got)
	if share := overlapShare(docs.trials, nodes); share < 0.9 {
		t.Errorf("the runs overlap by %.0f%% of the shorter one, want at least 90%%", share*100)
	} else {
		fmt.Printf("fleet: the runs overlap by %.0f%% of the shorter one\n", share*100)
	}
	if all := docs.json.AcrossNodes; len(all) != 1 || len(all[0].Ratios) != 2 || all[0].MeanRatio != 0 {
		t.Errorf("across nodes: %+v, want one comparison of two nodes that says nothing about others", all)
	}
}

// awaitJobs waits until each node has its Job, and says when it was created.
func awaitJobs(t *testing.T, obj *v1alpha1.ZfsBenchmark, nodes []string) map[string]time.Time {
	t.Helper()
	created := map[string]time.Time{}
	await(t, "a Job on each node", func() (bool, error) {
		jobs := &batchv1.JobList{}
		err := suite.client.List(context.Background(), jobs, client.InNamespace(runnerNamespace),
			client.MatchingLabels{v1alpha1.LabelBenchmarkUID: string(obj.UID)})
		for _, job := range jobs.Items {
			for _, node := range nodes {
				if job.Labels[jobspec.LabelNodeHash] == jobspec.NodeHash(node) {
					created[node] = job.CreationTimestamp.Time
				}
			}
		}
		return len(created) == len(nodes), err
	}, func() string { return describe(obj) })
	return created
}

// overlapShare is how long all nodes measured at once, as a part of the shortest run.
func overlapShare(trials []result.Trial, nodes []string) float64 {
	var latestStart, earliestEnd time.Time
	shortest := time.Duration(-1)
	for _, node := range nodes {
		var start, end time.Time
		for _, trial := range trials {
			if trial.Node != node {
				continue
			}
			if start.IsZero() || trial.Started.Before(start) {
				start = trial.Started
			}
			if trial.Finished.After(end) {
				end = trial.Finished
			}
		}
		if start.After(latestStart) {
			latestStart = start
		}
		if earliestEnd.IsZero() || end.Before(earliestEnd) {
			earliestEnd = end
		}
		if run := end.Sub(start); shortest < 0 || run < shortest {
			shortest = run
		}
	}
	return max(0, float64(earliestEnd.Sub(latestStart))) / float64(shortest)
}

// TestNodeIsLost takes one of two nodes away in the middle: the other one ends as if nothing had happened, and the
// benchmark ends when the node is back.
func TestNodeIsLost(t *testing.T) {
	nodes := fleet(t)
	c, _, err := devNode(t)
	if err != nil {
		t.Skip(err)
	}
	lost, err := c.Node(nodes[1])
	if err != nil {
		t.Fatal(err)
	}
	obj := newBenchmark("fleet-lost").onFleet().
		fio("write", v1alpha1.FioWrite, "128k", "4Mi", timeBased(10*time.Second)).repetitions(3).apply(t)
	state := func(node string) v1alpha1.NodeStatus {
		got := &v1alpha1.ZfsBenchmark{}
		if err := suite.client.Get(context.Background(), client.ObjectKeyFromObject(obj), got); err != nil {
			return v1alpha1.NodeStatus{}
		}
		i := slices.IndexFunc(got.Status.Nodes, func(n v1alpha1.NodeStatus) bool { return n.Name == node })
		if i < 0 {
			return v1alpha1.NodeStatus{}
		}
		return got.Status.Nodes[i]
	}
	await(t, "a trial on the node to be lost", func() (bool, error) { return state(nodes[1]).Trials.Completed > 0, nil },
		func() string { return describe(obj) })
	back := false
	start := func() error {
		if back {
			return nil
		}
		back = true
		return lost.Start(context.Background())
	}
	t.Cleanup(func() {
		if err := start(); err != nil {
			t.Error(err)
		}
	})
	if err := lost.Kill(t.Context()); err != nil {
		t.Fatal(err)
	}
	await(t, "the end on the other node", func() (bool, error) { return state(nodes[0]).Trials.Completed == 3, nil },
		func() string { return describe(obj) })
	if got := state(nodes[1]); got.Trials.Completed == 3 {
		t.Error("the node was not lost in the middle: it has all its trials")
	}
	if err := start(); err != nil {
		t.Fatal(err)
	}
	awaitWithin(t, 3*patience, "the end", func() (bool, error) { return state(nodes[1]).Trials.Completed == 3, nil },
		func() string { return describe(obj) })
	for _, node := range awaitComplete(t, obj).Status.Nodes {
		if node.Trials.Completed != 3 {
			t.Errorf("%s completed %d trials, want 3", node.Name, node.Trials.Completed)
		}
	}
}
