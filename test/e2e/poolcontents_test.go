// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e

import (
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
)

// TestPoolContents fills a mirror in both ways, sends and clones its dataset, and replaces a disk while fio reads until
// that is done. The second trial finds the disks as blank as the first.
func TestPoolContents(t *testing.T) {
	studies(t)
	b := newBenchmark("contents").disks(v1alpha1.VdevMirror, 2).repetitions(2)
	b.obj.Spec.Devices = append(b.obj.Spec.Devices, v1alpha1.Device{Name: "d2", Path: suite.disks[2].path})
	endless := true
	b.obj.Spec.Workloads = []v1alpha1.Workload{
		{Name: "write", Cache: v1alpha1.CacheWarm,
			Fio: &v1alpha1.FioWorkload{RW: v1alpha1.FioWrite, BS: "128k", Size: resource.MustParse("16Mi")}},
		{Name: "fill", Cache: v1alpha1.CacheWarm, Pool: &v1alpha1.PoolOperation{Fill: &v1alpha1.FillOperation{Percent: 10}}},
		{Name: "fill-at-random", Cache: v1alpha1.CacheWarm,
			Pool: &v1alpha1.PoolOperation{Fill: &v1alpha1.FillOperation{Percent: 15, Method: v1alpha1.FillRandomOverwrites,
				OverwritePercent: 20}}},
		{Name: "send-all", Pool: &v1alpha1.PoolOperation{Send: &v1alpha1.SendOperation{}}},
		{Name: "change", Cache: v1alpha1.CacheWarm,
			Fio: &v1alpha1.FioWorkload{RW: v1alpha1.FioWrite, BS: "128k", Size: resource.MustParse("16Mi")}},
		{Name: "send-changes", Cache: v1alpha1.CacheWarm,
			Pool: &v1alpha1.PoolOperation{Send: &v1alpha1.SendOperation{Since: "send-all"}}},
		{Name: "clones", Cache: v1alpha1.CacheWarm, Pool: &v1alpha1.PoolOperation{Clone: &v1alpha1.CloneOperation{Count: 3}}},
		{
			Name: "read-while-rebuilding",
			Fio: &v1alpha1.FioWorkload{RW: v1alpha1.FioRandRead, BS: "128k", Size: resource.MustParse("16Mi"),
				TimeBased: &endless, Runtime: &metav1.Duration{Duration: 30 * time.Minute}},
			During: &v1alpha1.DuringOperation{Replace: &v1alpha1.ReplaceOperation{Device: "d1", With: "d2"}},
		},
	}
	obj := b.apply(t)
	awaitTrials(t, obj)
	docs := readDocuments(t, awaitComplete(t, obj))
	t.Logf("summary.md:\n%s", docs.summary)
	if len(docs.trials) != 2 {
		t.Fatalf("%d trials", len(docs.trials))
	}
	for _, trial := range docs.trials {
		checkContents(t, trial)
	}
	for _, title := range []string{"## Filled pools", "## Making and destroying"} {
		if !strings.Contains(docs.summary, title) {
			t.Errorf("summary.md has no %q", title)
		}
	}
	assertNodeClean(t)
	remove(t, obj)
	assertNothingLeft(t, obj)
}

// checkContents wants each operation once, the levels as asked for, streams as large as what was written, and fio's
// numbers until the replacement was over.
func checkContents(t *testing.T, trial result.Trial) {
	t.Helper()
	var operations []string
	samples := map[string]result.Sample{}
	for _, s := range trial.Samples {
		samples[s.Workload] = s
		for _, o := range s.Operations() {
			operations = append(operations, o.Name)
		}
	}
	if want := []string{"write", "fill", "fill", "overwrite", "send", "write", "send", "clone", "read",
		"replace"}; !slices.Equal(operations, want) {
		t.Errorf("operations %q, want %q", operations, want)
	}
	for name, percent := range map[string]float64{"fill": 10, "fill-at-random": 15} {
		f := samples[name].Filled
		if f == nil || f.After.FilledPercent() < percent-1 || f.After.FilledPercent() > percent+1 ||
			f.After.AllocatedBytes <= f.Before.AllocatedBytes {
			t.Errorf("%s: %+v, want %v%%", name, f, percent)
		}
	}
	all, changes := samples["send-all"].Operation("send"), samples["send-changes"].Operation("send")
	if written := samples["fill"].BytesWritten(); all == nil || changes == nil || all.Bytes < written ||
		changes.Bytes < 16<<20 || changes.Bytes > 20<<20 {
		t.Errorf("sent %+v and %+v; %d bytes were written to fill the pool", all, changes, written)
	}
	if d := samples["read-while-rebuilding"].During; d == nil || !d.Interrupted || d.Bytes == 0 ||
		samples["read-while-rebuilding"].Pool.Health != "ONLINE" {
		t.Errorf("during %+v", d)
	}
	if trial.Times.PoolCreate == 0 || trial.Times.DatasetDestroy != 0 {
		t.Errorf("times %+v: the dataset has snapshots", trial.Times)
	}
}

// TestMakingAndDestroyingIsTimed is in a test of its own, since a dataset with snapshots is not destroyed.
func TestMakingAndDestroyingIsTimed(t *testing.T) {
	studies(t)
	obj := newBenchmark("times").disks(v1alpha1.VdevMirror, 2).seqWrite().apply(t)
	docs := readDocuments(t, awaitComplete(t, obj))
	for _, trial := range docs.trials {
		if trial.Times.PoolCreate == 0 || trial.Times.DatasetDestroy == 0 {
			t.Errorf("times %+v", trial.Times)
		}
	}
	remove(t, obj)
	assertNothingLeft(t, obj)
}
