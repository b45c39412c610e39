// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/utils/ptr"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
)

// txgTimeout is a parameter of the module that can be set at any time, and that hardly matters for what the tests do.
const txgTimeout = "zfs_txg_timeout"

// TestMatrixSurvivesARunner varies a property together with a module parameter. The benchmark waits until a policy
// lists the parameter; its runner is killed while the parameter is changed; in the end every trial is there once, in
// the planned order, with the property and the parameter of its variant, and the node has its own value again.
func TestMatrixSurvivesARunner(t *testing.T) {
	if pools := onNode(t, "zpool", "list", "-H", "-o", "name"); strings.TrimSpace(pools) != "" {
		t.Skipf("the node has pools, which module parameters would apply to: %s", pools)
	}
	before := parameterOnNode(t)
	other := map[string]string{"7": "8"}[before]
	if other == "" {
		other = "7"
	}
	b := newBenchmark("matrix").disks(v1alpha1.VdevStripe, 1).repetitions(1).fio("seq-write", v1alpha1.FioWrite, "128k",
		seqSize(), timeBased(8*time.Second))
	overlay := func(name v1alpha1.AxisValueName, recordsize, timeout string) v1alpha1.Overlay {
		return v1alpha1.Overlay{
			Name: name,
			Dataset: &v1alpha1.DatasetOverlay{Properties: map[string]v1alpha1.OverlayProperty{
				"recordsize": v1alpha1.OverlayProperty(recordsize),
			}},
			ModuleParameters: map[string]v1alpha1.ModuleParameterValue{txgTimeout: v1alpha1.ModuleParameterValue(timeout)},
		}
	}
	b.obj.Spec.Matrix = &v1alpha1.MatrixSpec{Axes: []v1alpha1.Axis{{Name: "tuning",
		Values: []v1alpha1.Overlay{overlay("ours", "128K", before), overlay("small", "16K", other)}}}}
	b.obj.Spec.Comparison = &v1alpha1.ComparisonSpec{Reference: "tuning=ours"}
	obj := b.apply(t)

	assertWaitsForPolicy(t, obj, v1alpha1.ReasonPolicyMismatch, "BenchmarkDevicePolicy e2e", txgTimeout,
		"spec.moduleParameters", suite.node.Name, benchNamespace)
	suite.grant(t, "e2e-parameters", v1alpha1.BenchmarkDevicePolicySpec{ModuleParameters: []string{txgTimeout}})
	await(t, txgTimeout+" set to "+other, func() (bool, error) {
		return parameterOnNode(t) == other, nil
	}, func() string { return describe(obj) })
	onNode(t, "pkill", "-KILL", "-f", "execute --plan[=]")
	docs := readDocuments(t, awaitComplete(t, obj))

	if now := parameterOnNode(t); now != before {
		t.Errorf("%s is %s on the node, it was %s", txgTimeout, now, before)
	}
	// The reference begins and ends the repetition.
	want := []string{"ours", "small", "ours"}
	if len(docs.trials) != len(want) {
		t.Fatalf("%d trials, want %d", len(docs.trials), len(want))
	}
	sizes, timeouts := map[string]string{"ours": "131072", "small": "16384"},
		map[string]string{"ours": before, "small": other}
	for i, trial := range docs.trials {
		if trial.Index != i || trial.Variant != "tuning="+want[i] || trial.Repetition != 1 {
			t.Errorf("trial %d is repetition %d of %s, with the index %d", i, trial.Repetition, trial.Variant, trial.Index)
		}
		if got := trial.Samples[0].Pool.DatasetProperties["recordsize"]; got != sizes[want[i]] {
			t.Errorf("trial %d ran with recordsize %s, want %s", i, got, sizes[want[i]])
		}
		if got := trial.ModuleParameters[txgTimeout]; got != timeouts[want[i]] {
			t.Errorf("trial %d ran with %s %s, want %s", i, txgTimeout, got, timeouts[want[i]])
		}
		if i > 0 && trial.Started.Before(docs.trials[i-1].Finished) {
			t.Errorf("trial %d started at %v, before the one before it ended at %v", i, trial.Started, docs.trials[i-1].Finished)
		}
	}
	for _, words := range []string{"tuning=ours", "tuning=small", "reference", "Module parameters"} {
		if !strings.Contains(docs.summary, words) {
			t.Errorf("summary.md does not tell of %s:\n%s", words, docs.summary)
		}
	}
}

// TestRepetitionsShareAPool measures a pool in use: each repetition has a new dataset in the same pool, and in the end
// nothing is left.
func TestRepetitionsShareAPool(t *testing.T) {
	studies(t)
	b := newBenchmark("shared").disks(v1alpha1.VdevStripe, 1).repetitions(2).seqWrite()
	b.obj.Spec.Repetitions.Order, b.obj.Spec.Repetitions.FreshPool = v1alpha1.OrderSequential, v1alpha1.FreshPoolPerVariant
	obj := b.apply(t)
	docs := readDocuments(t, awaitComplete(t, obj))
	if len(docs.trials) != 2 {
		t.Fatalf("%d trials, want 2", len(docs.trials))
	}
	first, second := docs.trials[0], docs.trials[1]
	if first.EarlierOnPool != 0 || second.EarlierOnPool != 1 || second.Failure != nil {
		t.Errorf("%d and %d trials ran before on the pool of each, failure %+v",
			first.EarlierOnPool, second.EarlierOnPool, second.Failure)
	}
	// What the first repetition wrote is gone when the second one writes as much.
	if allocated := second.Pool.AllocatedBytes; allocated > first.Pool.AllocatedBytes+seqBytes/2 {
		t.Errorf("%d bytes are allocated after the second repetition, %d after the first",
			allocated, first.Pool.AllocatedBytes)
	}
	if first.Pool.DatasetProperties["guid"] == second.Pool.DatasetProperties["guid"] {
		t.Error("both repetitions ran on the same dataset")
	}
	remove(t, obj)
	assertNothingLeft(t, obj)
}

// parameterOnNode is the value that the node's module has.
func parameterOnNode(t *testing.T) string {
	t.Helper()
	return strings.TrimSpace(onNode(t, "cat", "/sys/module/zfs/parameters/"+txgTimeout))
}

// studies skips a test that takes too long for every run.
func studies(t *testing.T) {
	t.Helper()
	if os.Getenv("ZFSBENCH_E2E_STUDIES") == "" {
		t.Skip("ZFSBENCH_E2E_STUDIES is not set: a study takes a quarter of an hour and more; make test-studies")
	}
}

// TestSlowerDiskIsFound compares three pools of one disk each: the second disk is throttled to 80% of the first, and
// the third pool is on the first disk again. The slower one is found worse; the copy is neither better nor worse.
func TestSlowerDiskIsFound(t *testing.T) {
	studies(t)
	const fast = 8 << 20
	b := newBenchmark("throttled").disks(v1alpha1.VdevStripe, 2).property("compression", "off").repetitions(8).
		fio("sync-write", v1alpha1.FioWrite, "128k", "32Mi", synced)
	b.obj.Spec.Matrix = &v1alpha1.MatrixSpec{
		Axes:    []v1alpha1.Axis{{Name: "disk", Values: []v1alpha1.Overlay{stripeOn("fast", "d0"), stripeOn("slow", "d1")}}},
		Include: []v1alpha1.Overlay{stripeOn("copy", "d0")},
	}
	b.obj.Spec.Comparison = &v1alpha1.ComparisonSpec{Reference: "disk=fast"}
	obj := b.apply(t)
	throttle(t, fast, suite.disks[0])
	throttle(t, fast*8/10, suite.disks[1])
	awaitTrials(t, obj)
	got := awaitComplete(t, obj)
	docs := readDocuments(t, got)
	t.Logf("summary.md:\n%s", docs.summary)
	verdicts := map[string]string{}
	for _, c := range docs.json.Comparisons {
		verdicts[c.Variant] = string(c.Verdict)
	}
	if verdicts["disk=slow"] != "Worse" {
		t.Errorf("the slower disk is %s, want Worse", verdicts["disk=slow"])
	}
	if v := verdicts["copy"]; v != "Equivalent" && v != "Inconclusive" {
		t.Errorf("a copy of the reference is %s, want Equivalent or Inconclusive", v)
	}
}

// stripeOn is the value of an axis: a pool of this disk alone.
func stripeOn(name v1alpha1.AxisValueName, device string) v1alpha1.Overlay {
	return v1alpha1.Overlay{Name: name,
		Pool: &v1alpha1.PoolOverlay{Vdevs: []v1alpha1.VdevOverlay{{Type: v1alpha1.VdevStripe, Devices: []string{device}}}}}
}

// TestWinnerIsConfirmed: of two disks the faster one leads after a single repetition, and is measured again, with its
// reference and nothing else.
func TestWinnerIsConfirmed(t *testing.T) {
	studies(t)
	const fast, confirm, closing = 32 << 20, 6, 1
	b := newBenchmark("confirmed").disks(v1alpha1.VdevStripe, 3).property("compression", "off").
		fio("sync-write", v1alpha1.FioWrite, "128k", "16Mi", synced)
	b.obj.Spec.Matrix = &v1alpha1.MatrixSpec{Axes: []v1alpha1.Axis{
		{Name: "disk", Values: []v1alpha1.Overlay{stripeOn("fast", "d0"), stripeOn("slow", "d1"), stripeOn("slowest", "d2")}},
	}}
	b.obj.Spec.Comparison = &v1alpha1.ComparisonSpec{Reference: "disk=slow"}
	b.obj.Spec.Repetitions = &v1alpha1.RepetitionsSpec{Min: 1, Confirm: ptr.To[int32](confirm)}
	obj := b.apply(t)
	throttle(t, fast, suite.disks[0])
	throttle(t, fast/2, suite.disks[1])
	throttle(t, fast/4, suite.disks[2])
	awaitTrials(t, obj)
	got := awaitComplete(t, obj)
	docs := readDocuments(t, got)
	t.Logf("summary.md:\n%s", docs.summary)
	if want := 3 + closing + confirm*(2+closing); len(docs.trials) != want {
		t.Errorf("%d trials, want %d", len(docs.trials), want)
	}
	for _, r := range got.Status.Results {
		switch {
		case r.Variant != "disk=fast" && r.Confirmed != nil:
			t.Errorf("%s is confirmed: %t", r.Variant, *r.Confirmed)
		case r.Variant == "disk=fast" && !ptr.Deref(r.Confirmed, false):
			t.Errorf("the faster disk is not confirmed: %+v", docs.json.Confirmations)
		}
	}
}

// TestStudy runs the shape of a study: two axes of two and three values, six repetitions of each variant. summary.md
// shows for each variant the ratio to its reference, how sure it is, and what follows.
func TestStudy(t *testing.T) {
	studies(t)
	b := newBenchmark("study").disks(v1alpha1.VdevStripe, 2).repetitions(6).seqWrite()
	b.obj.Spec.Matrix = &v1alpha1.MatrixSpec{Axes: []v1alpha1.Axis{
		{Name: "layout", Values: []v1alpha1.Overlay{
			{Name: "stripe"},
			{Name: "mirror", Pool: &v1alpha1.PoolOverlay{Vdevs: []v1alpha1.VdevOverlay{{Type: v1alpha1.VdevMirror,
				Devices: []string{"d0", "d1"}}}}},
		}},
		{Name: "compression", Property: "compression", PropertyValues: []v1alpha1.AxisValueName{"off", "lz4", "gzip-9"}},
	}}
	b.obj.Spec.Comparison = &v1alpha1.ComparisonSpec{Reference: "compression=off"}
	obj := b.apply(t)
	awaitTrials(t, obj)
	got := awaitComplete(t, obj)
	docs := readDocuments(t, got)
	t.Logf("summary.md:\n%s", docs.summary)
	if len(docs.json.Comparisons) != 4 {
		t.Errorf("%d comparisons, want one for each of 4 variants that are no reference: %+v",
			len(docs.json.Comparisons), docs.json.Comparisons)
	}
	counts := map[string]int{}
	for _, trial := range docs.trials {
		counts[trial.Variant]++
	}
	anchor := "layout=stripe,compression=off"
	for name, n := range counts {
		want := 6
		if name == anchor {
			want = 12 // at both ends of each repetition
		}
		if n != want {
			t.Errorf("%s was measured %d times, want %d", name, n, want)
		}
	}
	if meta.FindStatusCondition(got.Status.Conditions, v1alpha1.ConditionConverged) != nil {
		t.Error("a benchmark with a fixed number of repetitions tells whether it converged")
	}
	assertOrdered(t, docs.trials)
}

// assertOrdered wants the variants of at least two repetitions in different orders.
func assertOrdered(t *testing.T, trials []result.Trial) {
	t.Helper()
	orders := map[string]bool{}
	var order string
	for i, trial := range trials {
		order += trial.Variant + " "
		if i+1 == len(trials) || trials[i+1].Repetition != trial.Repetition {
			orders[order], order = true, ""
		}
	}
	if len(orders) < 2 {
		t.Errorf("all repetitions have the same order: %s", fmt.Sprint(orders))
	}
}
