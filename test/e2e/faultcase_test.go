// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"slices"
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

// faultWorld is the development cluster, whose nodes can lose power, and what must survive on the node.
type faultWorld struct {
	cluster *cluster.Cluster
	node    *cluster.Node
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
	disks := suite.disks[:2]
	blank(t, disks...)
	t.Cleanup(func() { blank(t, disks...) })
	makeFaultScratch(t, node)
	return &faultWorld{cluster: c, node: node, foreign: newForeign(t, node)}
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
		onDevNode(t, node, `umount `+faultScratch+`; sed -i '\#`+faultScratch+
			`#d' /etc/fstab; systemctl daemon-reload; rm -rf `+faultScratch+` /var/lib/somebody-scratch`)
	})
}

// run injects the fault, and says how the benchmark ended.
func (w *faultWorld) run(t *testing.T, c faultCase, outcome *string) {
	t.Helper()
	w.count++
	namespace := fmt.Sprintf("%s-fault-%d", benchNamespace, w.count)
	x := &injection{
		faultWorld: w, subject: c.subject, disks: suite.disks[:c.subject.disks], namespace: namespace, reachable: true,
	}
	x.prepare(t)
	if c.point.hold != nil {
		c.point.hold.set(t, w.node)
		t.Cleanup(func() { c.point.hold.unset(t, w.node) })
	}
	x.obj = x.benchmark(t, c.point)
	if c.point.throttle != 0 {
		x.awaitFirst(t)
		throttle(t, c.point.throttle, x.disks...)
	}
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
	x.judge(t, c, before, outcome)
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
			Scratch:    &v1alpha1.PolicyScratch{Directory: faultScratch, TotalSize: resource.MustParse("16Mi")},
		},
	}
	for _, d := range x.disks {
		policy.Spec.Devices = append(policy.Spec.Devices, d.consent())
	}
	if x.subject.allow != nil {
		x.subject.allow(&policy.Spec)
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

// benchmark starts two repetitions, each on a pool or array of its own.
func (x *injection) benchmark(t *testing.T, at faultPoint) *v1alpha1.ZfsBenchmark {
	t.Helper()
	b := x.subject.build(newBenchmark("fault"), x.disks).repetitions(2)
	if at.workload == nil {
		b = b.fio("write", v1alpha1.FioWrite, "128k", "4Mi")
	} else {
		b = at.workload(b, x.disks)
	}
	b.obj.Namespace = x.namespace
	if err := suite.client.Create(context.Background(), b.obj); err != nil {
		t.Fatal(err)
	}
	// What a failed case leaves must not fail the next one.
	t.Cleanup(func() { remove(t, b.obj) })
	return b.obj
}

// awaitFirst returns when the runner is done with the first repetition.
func (x *injection) awaitFirst(t *testing.T) {
	t.Helper()
	await(t, "first repetition", func() (bool, error) {
		progress, err := readProgress(x.obj)
		return err == nil && progress.Completed > 0, err
	}, func() string { return describe(x.obj) })
}

// judge holds what became of the benchmark against what the fault allows.
func (x *injection) judge(t *testing.T, c faultCase, before []result.Trial, outcome *string) {
	t.Helper()
	if c.fault.gone {
		awaitGone(t, x.obj)
		*outcome = "Gone"
	} else {
		got := awaitFinished(t, x.obj)
		*outcome = endOf(got)
		complete := meta.IsStatusConditionTrue(got.Status.Conditions, v1alpha1.ConditionComplete)
		failed := meta.FindStatusCondition(got.Status.Conditions, v1alpha1.ConditionFailed)
		switch {
		case complete && c.fault.completes:
			x.compareTrials(t, before, 2)
		case !complete && failed != nil && slices.Contains(c.fails(), failed.Reason):
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
	if x.subject.gone != nil {
		x.subject.gone(t, x.obj)
	}
}

// fails are the reasons that the benchmark may fail with.
func (c faultCase) fails() []string {
	if c.fault.breaks {
		return slices.Concat(c.fault.fails, c.subject.broken)
	}
	return c.fault.fails
}

// endOf is how a finished benchmark ended.
func endOf(obj *v1alpha1.ZfsBenchmark) string {
	if meta.IsStatusConditionTrue(obj.Status.Conditions, v1alpha1.ConditionComplete) {
		return v1alpha1.ConditionComplete
	}
	if failed := meta.FindStatusCondition(obj.Status.Conditions, v1alpha1.ConditionFailed); failed != nil {
		return v1alpha1.ConditionFailed + ": " + failed.Reason
	}
	return "neither complete nor failed"
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
