// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e

import (
	"os"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
)

// TestScenario does with a mirror all that can be done with a pool; as a study twice, so that the second trial finds
// the disks as blank as the first.
func TestScenario(t *testing.T) {
	b := newBenchmark("scenario").disks(v1alpha1.VdevMirror, 2)
	b.obj.Spec.Devices = append(b.obj.Spec.Devices, v1alpha1.Device{Name: "d2", Path: suite.disks[2].path})
	repetitions := 1
	if os.Getenv("ZFSBENCH_E2E_STUDIES") != "" {
		repetitions = 2
	}
	b.obj.Spec.Repetitions = &v1alpha1.RepetitionsSpec{Min: int32(repetitions)}
	read := &v1alpha1.FioWorkload{RW: v1alpha1.FioRead, BS: "128k", Size: resource.MustParse("32Mi")}
	b.obj.Spec.Workloads = []v1alpha1.Workload{
		{Name: "write", Cache: v1alpha1.CacheWarm,
			Fio: &v1alpha1.FioWorkload{RW: v1alpha1.FioWrite, BS: "128k", Size: resource.MustParse("32Mi")}},
		{Name: "trim", Cache: v1alpha1.CacheWarm, Pool: &v1alpha1.PoolOperation{Trim: &v1alpha1.TrimOperation{}}},
		{Name: "scrub", Pool: &v1alpha1.PoolOperation{Scrub: &v1alpha1.ScrubOperation{}}},
		{Name: "reimport", Cache: v1alpha1.CacheWarm, Pool: &v1alpha1.PoolOperation{Reimport: &v1alpha1.ReimportOperation{}}},
		{Name: "snapshots", Cache: v1alpha1.CacheWarm,
			Pool: &v1alpha1.PoolOperation{Snapshot: &v1alpha1.SnapshotOperation{Count: 3}}},
		{Name: "degrade", Cache: v1alpha1.CacheWarm,
			Pool: &v1alpha1.PoolOperation{Offline: &v1alpha1.OfflineOperation{Device: "d1"}}},
		{Name: "read-degraded", Fio: read},
		{Name: "restore", Cache: v1alpha1.CacheWarm,
			Pool: &v1alpha1.PoolOperation{Online: &v1alpha1.OnlineOperation{Device: "d1"}}},
		{Name: "degrade-again", Cache: v1alpha1.CacheWarm,
			Pool: &v1alpha1.PoolOperation{Offline: &v1alpha1.OfflineOperation{Device: "d1"}}},
		{Name: "rebuild", Pool: &v1alpha1.PoolOperation{Replace: &v1alpha1.ReplaceOperation{Device: "d1", With: "d2"}}},
		{Name: "read-rebuilt", Fio: read},
	}
	obj := b.apply(t)
	awaitTrials(t, obj)
	docs := readDocuments(t, awaitComplete(t, obj))
	t.Logf("summary.md:\n%s", docs.summary)
	if len(docs.trials) != repetitions {
		t.Fatalf("%d trials", len(docs.trials))
	}
	for _, trial := range docs.trials {
		checkScenario(t, trial)
	}
	assertNodeClean(t)
	remove(t, obj)
	assertNothingLeft(t, obj)
}

// checkScenario wants each operation once, the pool's health as the scenario made it, and as many bytes as were
// written.
func checkScenario(t *testing.T, trial result.Trial) {
	t.Helper()
	const written = 32 << 20
	var phases, health []string
	for _, s := range trial.Samples {
		health = append(health, s.Pool.Health)
		for _, p := range s.Phases {
			phases = append(phases, p.Name)
			if (p.Name == "scrub" || p.Name == "replace") && p.Bytes < written {
				t.Errorf("%s of %d bytes, %d were written", p.Name, p.Bytes, written)
			}
		}
	}
	if want := []string{"trim", "scrub", "export", "import", "snapshot", "offline", "online", "offline",
		"replace"}; !slices.Equal(phases, want) {
		t.Errorf("operations %q, want %q", phases, want)
	}
	const on, off = "ONLINE", "DEGRADED"
	if want := []string{on, on, on, on, on, off, off, on, off, on, on}; !slices.Equal(health, want) {
		t.Errorf("health %q, want %q", health, want)
	}
}
