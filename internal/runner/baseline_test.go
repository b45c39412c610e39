// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/runner/failure"
	"zfsbench.io/operator/internal/runner/target"
	"zfsbench.io/operator/internal/runner/workspace"
)

func TestOrderOfBaselines(t *testing.T) {
	w := newWorld(t)
	got, _ := w.execute(t.Context(), baselinePlan(w))
	if got.Progress.State != result.StateComplete || got.Progress.Completed != 2 {
		t.Fatalf("outcome %+v, failure %+v", got, got.Progress.Failure)
	}
	compareTranscript(t, w, "baselines")
	if left := w.left(); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
	want := []*result.BaselineFacts{
		{
			Type: "ext4", SizeBytes: 1 << 30, AvailableBytes: 1 << 29, MountOptions: "rw,nosuid,data=journal",
			CacheBudgetBytes: 1 << 30,
			MadeWith: strings.Fields("mke2fs -q -t ext4 -E nodiscard,lazy_itable_init=0,lazy_journal_init=0 -b 4096 -U " +
				"guid-3 /dev/disk/by-partuuid/guid-2"),
		},
		{Type: "raw", CacheBudgetBytes: 1 << 30},
	}
	for i, facts := range want {
		for _, s := range w.trials[i].Samples {
			if diff := cmp.Diff(facts, s.Baseline); diff != "" || !cmp.Equal(s.Pool, result.PoolFacts{}) {
				t.Errorf("trial %d, workload %s, pool %+v, facts (-want +got):\n%s", i, s.Workload, s.Pool, diff)
			}
		}
	}
}

// A baseline on a partition of a disk leaves the other partitions of its table alone, and only its own may hold a
// filesystem.
func TestBaselineOnAPartition(t *testing.T) {
	w := newWorld(t)
	p := baselinePlan(w)
	p.Devices[0].Partitions = []plan.Partition{{Name: "p0", SizeBytes: 64 << 20}, {Name: "p1"}}
	p.Variants[0].Baseline.Filesystem.Device = "p1"
	p.Variants = p.Variants[:1]
	p.Trials = p.Trials[:1]
	var owned *result.Ownership
	w.on["mke2fs"] = func() { owned = w.ownership }
	if got, _ := w.execute(t.Context(), p); got.Progress.State != result.StateComplete {
		t.Fatalf("outcome %+v, failure %+v", got, got.Progress.Failure)
	}
	want := []result.OwnedPartition{{Name: "p0", GUID: "guid-2", SizeBytes: 64 << 20},
		{Name: "p1", GUID: "guid-3", FilesystemUUID: "guid-4"}}
	if diff := cmp.Diff(want, owned.Devices[0].Partitions); diff != "" || owned.PoolName != "" ||
		owned.Baseline != "ext4" {
		t.Errorf("recorded %+v, partitions (-want +got):\n%s", owned, diff)
	}
}

// What is not provably the benchmark's own is not touched, and the record stays.
func TestForeignThingsOnBaselinesAreNotTouched(t *testing.T) {
	tests := map[string]struct {
		change func(*world)
		want   string
	}{
		"another filesystem":     {func(w *world) { w.disks["/dev/disk/by-id/d0"].filesystem = "precious" }, "not ours"},
		"a disk exchanged":       {func(w *world) { w.disks["/dev/disk/by-id/d0"].diskGUID = "other" }, "not ours"},
		"another one mounted":    {func(w *world) { w.mounted = "/dev/sdz1" }, "/dev/sdz1 is mounted at"},
		"a dataset in its place": {func(w *world) { w.mounted = "tank/home" }, "tank/home is mounted at"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			p := baselinePlan(w)
			p.Workloads = p.Workloads[:1]
			w.on["look at the mount"] = func() { test.change(w) }
			got, _ := w.execute(t.Context(), p)
			f := got.Progress.Failure
			if f == nil || f.Reason != v1alpha1.ReasonCleanupFailed || !strings.Contains(f.Message, test.want) {
				t.Errorf("failure %+v", f)
			}
			if *w.disks["/dev/disk/by-id/d0"] == (fakeDisk{}) || w.ownership == nil ||
				slices.Contains(w.transcript, "sink: own nothing") {
				t.Errorf("touched: left is only %v", w.left())
			}
		})
	}
}

// A filesystem that was half made when its runner was killed has the recorded UUID, or none yet.
func TestKilledWhileAFilesystemIsMade(t *testing.T) {
	for name, signature := range map[string]string{"no signature yet": "", "a signature": "guid-3"} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			p := baselinePlan(w)
			w.fault = func(_ int, call string) fault {
				if strings.HasPrefix(call, "mke2fs") {
					return diesBefore
				}
				return fine
			}
			if _, alive := w.execute(t.Context(), p); alive {
				t.Fatal("the runner was not killed")
			}
			w.disks["/dev/disk/by-id/d0"].filesystem = signature
			w.fault = nil
			if got, _ := w.execute(t.Context(), p); got.Progress.State != result.StateComplete || len(w.left()) != 0 {
				t.Errorf("outcome %+v, failure %+v, left %v", got, got.Progress.Failure, w.left())
			}
		})
	}
}

// Without the journal, the sink's record is enough.
func TestBaselineIsRemovedByTheSinksRecord(t *testing.T) {
	w := newWorld(t)
	p := baselinePlan(w)
	w.fault = func(_ int, call string) fault {
		if strings.HasPrefix(call, "mount -t ext4") {
			return diesAfter
		}
		return fine
	}
	if _, alive := w.execute(t.Context(), p); alive {
		t.Fatal("the runner was not killed")
	}
	w.fault = nil
	if err := newEngineWorkspace(t, w).Remove(); err != nil {
		t.Fatal(err)
	}
	if got, _ := w.execute(t.Context(), p); got.Progress.State != result.StateComplete || len(w.left()) != 0 {
		t.Errorf("outcome %+v, failure %+v, left %v", got, got.Progress.Failure, w.left())
	}
}

func newEngineWorkspace(t *testing.T, w *world) workspace.Workspace {
	t.Helper()
	ws, err := workspace.New(w.scratch, testUID)
	if err != nil {
		t.Fatal(err)
	}
	return ws
}

func TestWhatTheNodeLacksForBaselines(t *testing.T) {
	tests := map[string]struct {
		arrange func(*world, *plan.Plan)
		want    string
	}{
		"a kernel": {func(w *world, _ *plan.Plan) {
			w.lacks = map[string]error{"ext4": errors.New("the node has no ext4 in its kernel, nor a module with it")}
		}, "Ext4 cannot be used: the node has no ext4 in its kernel"},
		"room": {func(_ *world, p *plan.Plan) { p.Devices[0].SizeBytes = 50 << 20 },
			"Ext4 of variant ext4 needs 64 MiB, and d0 has 48 MiB."},
		"an unknown type": {func(_ *world, p *plan.Plan) { p.Variants[0].Baseline.Filesystem.Type = "ntfs" },
			"This runner does not know ntfs."},
	}
	for name, tt := range tests {
		for _, dryRun := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				w := newWorld(t)
				p := baselinePlan(w)
				p.DryRun = dryRun
				tt.arrange(w, &p)
				wantPreflightRefusal(t, w, p, tt.want, "mke2fs")
			})
		}
	}
}

// wantPreflightRefusal wants the preflight to refuse a plan, and neither a disk to be partitioned nor the tool to be
// run.
func wantPreflightRefusal(t *testing.T, w *world, p plan.Plan, want, tool string) {
	t.Helper()
	got, _ := w.execute(t.Context(), p)
	f := got.Progress.Failure
	if f == nil || f.Reason != v1alpha1.ReasonPreflightFailed || !strings.Contains(f.Message, want) {
		t.Errorf("failure %+v, want %q", f, want)
	}
	for _, call := range w.transcript {
		if strings.HasPrefix(call, "partition") || strings.HasPrefix(call, tool) {
			t.Errorf("after that: %s", call)
		}
	}
}

func TestAVolumeTooSmallForItsFilesystem(t *testing.T) {
	tests := map[string]struct{ volume, want string }{
		"for the filesystem": {"16Mi", "Ext4 needs 64 MiB, and the volume has 16 MiB."},
		"for the files":      {"65Mi", "It needs a larger volume, or smaller workloads"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			p := volumeFilesystemPlan(w)
			p.Variants[0].Dataset.Volume.Size = resource.MustParse(tt.volume)
			for _, workload := range p.Workloads {
				workload.Fio.Size = resource.MustParse("66Mi")
			}
			got, _ := w.execute(t.Context(), p)
			f := got.Progress.Failure
			if f == nil || f.Reason != v1alpha1.ReasonPreflightFailed ||
				!strings.Contains(strings.ToLower(f.Message), strings.ToLower(tt.want)) {
				t.Errorf("failure %+v, want %q", f, tt.want)
			}
		})
	}
}

func TestAFilesystemThatBecomesReadOnly(t *testing.T) {
	w := newWorld(t)
	p := baselinePlan(w)
	w.readOnly = true
	got, _ := w.execute(t.Context(), p)
	if f := w.trials[0].Failure; f == nil || f.Reason != v1alpha1.ReasonBaselineFailed ||
		!strings.Contains(f.Message, "read-only") {
		t.Errorf("failure %+v", f)
	}
	if w.trials[1].Failure != nil || len(w.left()) != 0 || got.Progress.Failed != 1 {
		t.Errorf("outcome %+v, left %v", got, w.left())
	}
}

// A sandbox that has just ended keeps the filesystem for a moment: the cache is not empty before that.
func TestCacheIsNotEmptyBeforeTheKernelLetsGo(t *testing.T) {
	w := newWorld(t)
	p := baselinePlan(w)
	p.Trials = p.Trials[:1]
	asked := 0
	w.fault = func(_ int, call string) fault {
		if strings.HasPrefix(call, "is /dev") {
			if asked++; asked <= 3 {
				return busy
			}
		}
		return fine
	}
	if got, _ := w.execute(t.Context(), p); got.Progress.State != result.StateComplete {
		t.Fatalf("outcome %+v, failure %+v", got, got.Progress.Failure)
	}
	if dropped := slices.Index(w.transcript, "forget /dev/disk/by-partuuid/guid-2"); asked < 5 || dropped < 0 ||
		!strings.HasPrefix(w.transcript[dropped-4], "is /dev") {
		t.Errorf("asked %d times:\n%s", asked, strings.Join(w.transcript, "\n"))
	}
}

func TestADiskOfABaselineThatIsLost(t *testing.T) {
	err := &target.GoneError{What: "the ext4 filesystem", Reason: v1alpha1.ReasonBaselineFailed,
		Devices: []result.OwnedDevice{{Name: "d0", Path: "/dev/disk/by-id/d0"}}}
	if f := failureOf(failure.Wrap(v1alpha1.ReasonWorkloadFailed, "run workload a",
		err)); f.Reason != v1alpha1.ReasonBaselineFailed || !strings.Contains(f.Message,
		"the ext4 filesystem has lost a device") {
		t.Errorf("failure %+v", f)
	}
}
