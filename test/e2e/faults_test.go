// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/hack/devcluster/cluster"
	"zfsbench.io/operator/internal/result"
)

// faultSample is how many cases of the fault table run unless ZFSBENCH_E2E_FAULTS says another number, or all, or a part: 1/3 is the first of three. They are drawn with
// defaultSeed unless ZFSBENCH_E2E_SEED says another: the first cases of this one need no reboot and no outage, which take minutes.
const faultSample, defaultSeed = 3, 7

// faultCase injects one fault at one point.
type faultCase struct {
	point faultPoint
	fault fault
}

func (c faultCase) name() string { return c.fault.name + " " + c.point.name }

// TestFaults injects faults into the second repetition of a benchmark. Afterwards the benchmark is complete, gone, or failed for the true reason; the first repetition is
// neither lost nor run again; nothing of ours is left; and a pool and a file of somebody else on the same node are as before. A loss is a case in which any of that does
// not hold. The last line counts both.
func TestFaults(t *testing.T) {
	cases, chosen := chooseFaults(t)
	if len(cases) == 0 {
		t.Skip("ZFSBENCH_E2E_FAULTS asks for no case")
	}
	world := newFaultWorld(t)
	ran, losses := 0, 0
	for _, c := range cases {
		before, began := ran, time.Now()
		passed := t.Run(c.name(), func(t *testing.T) {
			ran++
			world.run(t, c)
		})
		switch {
		case ran == before: // -run asks for others
		case passed:
			fmt.Printf("fault %d: %s: as promised (%.0fs)\n", ran, c.name(), time.Since(began).Seconds())
		default:
			losses++
			fmt.Printf("fault %d: %s: LOSS (%.0fs)\n", ran, c.name(), time.Since(began).Seconds())
		}
	}
	fmt.Printf("fault table: %d cases (%s), %d losses\n", ran, chosen, losses)
}

// chooseFaults returns all cases, or some, drawn with a seed that is told.
func chooseFaults(t *testing.T) (cases []faultCase, chosen string) {
	t.Helper()
	for _, p := range faultPoints() {
		for _, f := range faults() {
			if p.pool || !f.inPool {
				cases = append(cases, faultCase{point: p, fault: f})
			}
		}
	}
	wanted := os.Getenv("ZFSBENCH_E2E_FAULTS")
	if wanted == "all" {
		return cases, "all"
	}
	if part, parts, found := strings.Cut(wanted, "/"); found {
		return everyNth(cases, number(t, part, 0)-1, number(t, parts, 0)), "part " + wanted
	}
	n, seed := number(t, wanted, faultSample), seedOfCases(t)
	shuffle(cases, seed)
	// The most likely case is always drawn; then each fault once before any of them a second time.
	drawn := map[string]int{"runner killed": 1}
	rank := map[string]int{}
	for _, c := range cases {
		drawn[c.fault.name]++
		rank[c.name()] = drawn[c.fault.name]
	}
	rank["runner killed during fio"] = 0
	slices.SortStableFunc(cases, func(a, b faultCase) int { return rank[a.name()] - rank[b.name()] })
	return cases[:min(n, len(cases))], fmt.Sprintf("seed %d", seed)
}

// seedOfCases is the seed that the cases of a run are drawn with.
func seedOfCases(t *testing.T) int {
	t.Helper()
	return number(t, os.Getenv("ZFSBENCH_E2E_SEED"), defaultSeed)
}

// shuffle puts what cases are drawn from into the order of a seed.
func shuffle[T any](cases []T, seed int) {
	rand.New(rand.NewPCG(uint64(seed), 0)).Shuffle(len(cases), func(i, j int) { cases[i], cases[j] = cases[j], cases[i] })
}

// everyNth is one of n parts of the table, from 0, which together are all of it.
func everyNth(cases []faultCase, part, n int) []faultCase {
	var chosen []faultCase
	for i, c := range cases {
		if n > 0 && i%n == part {
			chosen = append(chosen, c)
		}
	}
	return chosen
}

func number(t *testing.T, text string, otherwise int) int {
	t.Helper()
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		t.Fatalf("%q is no number of fault cases or seed", text)
	}
	return n
}

// faultWorld is the development cluster, whose nodes can lose power, and what must survive on the node.
type faultWorld struct {
	cluster *cluster.Cluster
	node    *cluster.Node
	// disk is the disk under test.
	disk    disk
	foreign foreign
	count   int
}

func newFaultWorld(t *testing.T) *faultWorld {
	t.Helper()
	c, node, err := devNode(t)
	if err != nil {
		t.Skipf("faults need the development cluster, whose node can lose power: %v", err)
	}
	// Another scratch directory knows nothing of what is on the disk.
	blank(t, suite.disks[0])
	t.Cleanup(func() { blank(t, suite.disks[0]) })
	makeFaultScratch(t, node)
	return &faultWorld{cluster: c, node: node, disk: suite.disks[0], foreign: newForeign(t, node)}
}

// faultScratch is a small filesystem of its own, which can be filled without the kubelet minding.
const faultScratch = "/srv/zfsbench-scratch"

func makeFaultScratch(t *testing.T, node *cluster.Node) {
	t.Helper()
	onDevNode(t, node, `set -eu
truncate -s 128M /var/lib/somebody-scratch
mkfs.ext4 -q -F /var/lib/somebody-scratch
mkdir -p `+faultScratch+`
grep -q `+faultScratch+` /etc/fstab || echo "/var/lib/somebody-scratch `+faultScratch+` ext4 loop,noatime 0 0" >> /etc/fstab
systemctl daemon-reload
mount `+faultScratch)
	t.Cleanup(func() {
		onDevNode(t, node, `umount `+faultScratch+`; sed -i '\#`+faultScratch+`#d' /etc/fstab; systemctl daemon-reload; rm -rf `+faultScratch+` /var/lib/somebody-scratch`)
	})
}

func (w *faultWorld) run(t *testing.T, c faultCase) {
	t.Helper()
	w.count++
	namespace := fmt.Sprintf("%s-fault-%d", benchNamespace, w.count)
	x := &injection{faultWorld: w, namespace: namespace, reachable: true}
	x.prepare(t)
	if c.point.hold != nil {
		c.point.hold.set(t, w.node)
		t.Cleanup(func() { c.point.hold.unset(t, w.node) })
	}
	if c.point.throttle != 0 {
		throttle(t, c.point.throttle, x.disk)
	}
	x.obj = x.benchmark(t, c.point)
	c.point.await(t, w.node, x.obj)
	before := x.trials(t)

	began := time.Now()
	c.fault.inject(t, x)
	if c.point.hold != nil && x.reachable {
		c.point.hold.release(t, w.node)
	}
	if c.fault.mend != nil {
		c.fault.mend(t, x, began)
	}
	x.judge(t, c, before)
}

// prepare makes the namespace and the consent of one case, and the filesystem that its scratch directory is on.
func (x *injection) prepare(t *testing.T) {
	t.Helper()
	ctx := context.Background()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: x.namespace}}
	policy := &v1alpha1.BenchmarkDevicePolicy{
		ObjectMeta: metav1.ObjectMeta{Name: x.namespace},
		Spec: v1alpha1.BenchmarkDevicePolicySpec{
			Node:       v1alpha1.PolicyNode{Name: suite.node.Name, UID: string(suite.node.UID)},
			Namespaces: []string{x.namespace},
			Devices:    []v1alpha1.PolicyDevice{x.disk.consent()},
			Scratch:    &v1alpha1.PolicyScratch{Directory: faultScratch, TotalSize: resource.MustParse("16Mi")},
		},
	}
	onDevNode(t, x.node, "mountpoint -q "+faultScratch+" || mount "+faultScratch)
	for _, object := range []client.Object{namespace, policy} {
		if err := suite.client.Create(ctx, object); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		for _, object := range []client.Object{policy, namespace} {
			if err := client.IgnoreNotFound(suite.client.Delete(ctx, object)); err != nil {
				t.Error(err)
			}
		}
	})
}

// benchmark starts two repetitions, each on a pool of its own.
func (x *injection) benchmark(t *testing.T, at faultPoint) *v1alpha1.ZfsBenchmark {
	t.Helper()
	b := newBenchmark("fault").onDisks(v1alpha1.VdevStripe, x.disk).repetitions(2)
	if at.workload == nil {
		b = b.fio("write", v1alpha1.FioWrite, "128k", "4Mi")
	} else {
		b = at.workload(b)
	}
	b.obj.Namespace = x.namespace
	if err := suite.client.Create(context.Background(), b.obj); err != nil {
		t.Fatal(err)
	}
	// What a failed case leaves must not fail the next one.
	t.Cleanup(func() { remove(t, b.obj) })
	return b.obj
}

// judge holds what became of the benchmark against what the fault allows.
func (x *injection) judge(t *testing.T, c faultCase, before []result.Trial) {
	t.Helper()
	if c.fault.gone {
		awaitGone(t, x.obj)
	} else {
		got := awaitFinished(t, x.obj)
		complete := meta.IsStatusConditionTrue(got.Status.Conditions, v1alpha1.ConditionComplete)
		failed := meta.FindStatusCondition(got.Status.Conditions, v1alpha1.ConditionFailed)
		switch {
		case complete && c.fault.completes:
			x.compareTrials(t, before, 2)
		case !complete && failed != nil && slices.Contains(c.fault.fails, failed.Reason):
			t.Logf("failed with %s: %s", failed.Reason, failed.Message)
			x.compareTrials(t, before, len(before))
		default:
			t.Errorf("it ended otherwise than expected:\n%s", describe(x.obj))
		}
		if c.fault.repair != nil {
			c.fault.repair(t, x)
		}
		remove(t, x.obj)
	}
	x.foreign.assertUntouched(t)
	assertNothingLeft(t, x.obj)
}

// compareTrials wants the trials that were there before, unchanged, and at least so many in all, each once.
func (x *injection) compareTrials(t *testing.T, before []result.Trial, atLeast int) {
	t.Helper()
	after := readDocuments(t, x.obj).trials
	if len(after) < atLeast {
		t.Errorf("%d trials, want at least %d", len(after), atLeast)
	}
	for i, trial := range after {
		if trial.Index != i {
			t.Errorf("trial %d has the index %d", i, trial.Index)
		}
	}
	for i, trial := range before {
		if i < len(after) && !after[i].Started.Equal(trial.Started) {
			t.Errorf("trial %d was run again: it started %v, and now %v", i, trial.Started, after[i].Started)
		}
	}
}

// trials are those that the manager has published so far.
func (x *injection) trials(t *testing.T) []result.Trial {
	t.Helper()
	awaitBenchmark(t, x.obj, "first repetition published", func(b *v1alpha1.ZfsBenchmark) bool {
		return b.Status.Progress != nil && b.Status.Progress.Trials.Completed == 1 && b.Status.ResultsConfigMap != ""
	})
	trials := readDocuments(t, x.obj).trials
	if len(trials) != 1 {
		t.Fatalf("%d trials are published before the fault, want 1", len(trials))
	}
	return trials
}
