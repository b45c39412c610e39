// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zfsbench.io/operator/api/v1alpha1"
)

// TestDeleteWhileRunning deletes a benchmark in the middle of its workload: no pool, mount, partition, Job or ConfigMap
// remains.
func TestDeleteWhileRunning(t *testing.T) {
	obj := newBenchmark("deleted").disks(v1alpha1.VdevMirror, 2).
		fio("long", v1alpha1.FioRandWrite, "16k", "64Mi", timeBased(10*time.Minute)).apply(t)
	awaitWorkload(t, obj, "long")
	// Before the workload the pool is exported for a moment, to empty the cache.
	await(t, "a pool of ours on the node", func() (bool, error) {
		return strings.Contains(onNode(t, "zpool", "list", "-H", "-o", "name"), "zfsbench-"), nil
	}, func() string { return describe(obj) })
	remove(t, obj)
	assertNothingLeft(t, obj)
}

// TestFailingWorkload lets fio run out of space: the benchmark fails with fio's reason, and the pool is gone. The
// preflight cannot know: the runtime might have ended the workload before that.
func TestFailingWorkload(t *testing.T) {
	long := func(w *v1alpha1.FioWorkload) { w.Runtime = &metav1.Duration{Duration: time.Hour} }
	obj := newBenchmark("enospc").files(1, "128Mi").
		fio("too-big", v1alpha1.FioWrite, "128k", "512Mi", long).apply(t)
	reason, message := awaitFailed(t, obj)
	if reason != v1alpha1.ReasonWorkloadFailed || !strings.Contains(message, "no space left on device") ||
		!strings.Contains(message, "too-big") {
		t.Errorf("failed with %s %q, want %s naming the workload and \"no space left on device\"",
			reason, message, v1alpha1.ReasonWorkloadFailed)
	}
	assertNodeClean(t)
}

// timeBased makes a workload run for this long.
func timeBased(d time.Duration) func(*v1alpha1.FioWorkload) {
	return func(w *v1alpha1.FioWorkload) {
		w.TimeBased = new(true)
		w.Runtime = &metav1.Duration{Duration: d}
	}
}

// synced makes a workload write synchronously.
func synced(w *v1alpha1.FioWorkload) { w.Sync = v1alpha1.FioSyncSync }

// awaitWorkload waits until the benchmark runs this workload.
func awaitWorkload(t *testing.T, obj *v1alpha1.ZfsBenchmark, name string) {
	t.Helper()
	runs := func(b *v1alpha1.ZfsBenchmark) bool {
		return b.Status.Progress != nil && b.Status.Progress.CurrentWorkload == name
	}
	got := awaitBenchmark(t, obj, "runs "+name, func(b *v1alpha1.ZfsBenchmark) bool { return runs(b) || finished(b) })
	if !runs(got) {
		t.Fatalf("%s ended without running %s:\n%s", obj.Name, name, describe(obj))
	}
}
