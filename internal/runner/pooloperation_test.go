// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/storage/zfs"
)

// scenarioPlan has a mirror of two files, does with it everything that files can, and replaces one by a third file
func scenarioPlan(w *world) plan.Plan {
	p := testPlan(w)
	p.Devices = []plan.Device{{Name: "f0", FileSizeBytes: 64 << 20}, {Name: "f1", FileSizeBytes: 64 << 20},
		{Name: "f2", FileSizeBytes: 64 << 20}}
	p.Scratch.LimitBytes = 1 << 30
	p.Variants[0].Pool = v1alpha1.PoolSpec{Vdevs: []v1alpha1.Vdev{{Type: v1alpha1.VdevMirror,
		Devices: []string{"f0", "f1"}}}}
	p.Workloads = []v1alpha1.Workload{
		{Name: "write", Cache: v1alpha1.CacheWarm, Fio: &v1alpha1.FioWorkload{RW: v1alpha1.FioWrite,
			Size: resource.MustParse("1Mi")}},
		{Name: "scrub", Pool: &v1alpha1.PoolOperation{Scrub: &v1alpha1.ScrubOperation{}}},
		{Name: "reimport", Cache: v1alpha1.CacheWarm, Pool: &v1alpha1.PoolOperation{Reimport: &v1alpha1.ReimportOperation{}}},
		{Name: "snapshots", Cache: v1alpha1.CacheWarm,
			Pool: &v1alpha1.PoolOperation{Snapshot: &v1alpha1.SnapshotOperation{Count: 2}}},
		{Name: "degrade", Cache: v1alpha1.CacheWarm,
			Pool: &v1alpha1.PoolOperation{Offline: &v1alpha1.OfflineOperation{Device: "f1"}}},
		{Name: "restore", Cache: v1alpha1.CacheWarm,
			Pool: &v1alpha1.PoolOperation{Online: &v1alpha1.OnlineOperation{Device: "f1"}}},
		{Name: "degrade-again", Cache: v1alpha1.CacheWarm,
			Pool: &v1alpha1.PoolOperation{Offline: &v1alpha1.OfflineOperation{Device: "f1"}}},
		{Name: "read", Cache: v1alpha1.CacheCold, Fio: &v1alpha1.FioWorkload{RW: v1alpha1.FioRead,
			Size: resource.MustParse("1Mi")}},
		{Name: "rebuild", Cache: v1alpha1.CacheWarm,
			Pool: &v1alpha1.PoolOperation{Replace: &v1alpha1.ReplaceOperation{Device: "f1", With: "f2"}}},
	}
	p.Trials = p.Trials[:1]
	return p
}

func TestOrderOfAScenario(t *testing.T) {
	w := newWorld(t)
	if got, _ := w.execute(t.Context(), scenarioPlan(w)); got.Progress.State != result.StateComplete {
		t.Fatalf("outcome %+v, failure %+v", got, got.Progress.Failure)
	}
	compareTranscript(t, w, "scenario")
	if left := w.left(); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
	var phases []string
	for _, s := range w.trials[0].Samples {
		for _, p := range s.Phases {
			if s.Tool != "zpool" || s.ToolVersion != "zpool-2.3.9-0+deb13u1" || p.RuntimeNanoseconds <= 0 || len(s.Argv) == 0 {
				t.Errorf("sample %+v", s)
			}
			phases = append(phases, s.Workload+": "+p.Name)
		}
	}
	want := []string{
		"scrub: scrub", "reimport: export", "reimport: import", "snapshots: snapshot", "degrade: offline", "restore: online",
		"degrade-again: offline", "rebuild: replace",
	}
	if diff := cmp.Diff(want, phases); diff != "" {
		t.Errorf("phases (-want +got):\n%s", diff)
	}
	snapshots, rebuild := w.trials[0].Samples[3].Phases[0], w.trials[0].Samples[8].Phases[0]
	if snapshots.IOs != 2 || snapshots.Latency.Count != 2 || rebuild.Bytes != 2<<20 || rebuild.Reads ||
		rebuild.BandwidthBytesPerSecond == 0 {
		t.Errorf("snapshots %+v, rebuild %+v", snapshots, rebuild)
	}
	if _, err := result.EncodeTrialWithin(w.trials[0], 1<<20); err != nil {
		t.Errorf("the result is refused: %v", err)
	}
}

// What an operation finds or meets makes the trial fail with the reason, and leaves nothing.
func TestOperationsThatFail(t *testing.T) {
	tests := map[string]struct {
		arrange      func(*world)
		reason, want string
	}{
		"a scrub that repairs": {func(w *world) { w.repaired = 4096 }, v1alpha1.ReasonVdevErrors,
			"4096 bytes had to be repaired"},
		"a device that is not taken": {func(w *world) {
			w.on["zpool offline"] = func() { w.status = &zfs.Status{State: "ONLINE", Scan: zfs.Scan{Kind: zfs.ScanScrub}} }
		}, v1alpha1.ReasonPoolNotOnline, "the pool is ONLINE"},
		"a pool of somebody else's": {func(w *world) {
			w.on["fio rw=write"] = func() { w.pools["zfsbench-0c7c9a41-0"].owner = "me" }
		}, v1alpha1.ReasonCleanupFailed, "not provably"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			test.arrange(w)
			got, _ := w.execute(t.Context(), scenarioPlan(w))
			f := got.Progress.Failure
			if f == nil || f.Reason != test.reason || !strings.Contains(f.Message, test.want) {
				t.Errorf("failure %+v", f)
			}
			if left := w.left(); len(left) != 0 && test.reason != v1alpha1.ReasonCleanupFailed {
				t.Errorf("left %v", left)
			}
		})
	}
}

// The devices of a fake node read nothing, so a scrub that does not return makes no progress.
func TestScrubWithoutProgress(t *testing.T) {
	w := newWorld(t)
	w.hangs = "zpool scrub"
	p := scenarioPlan(w)
	p.Workloads = p.Workloads[1:2]
	w.stalls = true
	got, _ := w.execute(t.Context(), p)
	if f := got.Progress.Failure; f == nil || !strings.Contains(f.Message, "it makes no progress") {
		t.Errorf("failure %+v", f)
	}
	if left := w.left(); len(left) != 0 {
		t.Errorf("left %v", left)
	}
}

// A scenario whose runner is killed at an operation, at either side of it, is run again from its beginning, and leaves
// nothing.
func TestKilledInAScenario(t *testing.T) {
	operates := func(call string) bool {
		return strings.HasPrefix(call, "zpool ") || strings.HasPrefix(call, "zfs snapshot") ||
			strings.HasPrefix(call, "sink: own")
	}
	callsOf(t, operates, func(*world) {}, scenarioPlan, 1, []fault{diesBefore, diesAfter},
		func(t *testing.T, w *world, p plan.Plan) { completesAfterKill(t, w, p, func() {}) })
}
