// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
)

func TestOrderOfArrays(t *testing.T) {
	w := newWorld(t)
	got, _ := w.execute(t.Context(), arrayPlan(w))
	if got.Progress.State != result.StateComplete || got.Progress.Completed != 2 {
		t.Fatalf("outcome %+v, failure %+v", got, got.Progress.Failure)
	}
	compareTranscript(t, w, "arrays")
	if left := w.left(); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
	made := "mdadm --create /dev/md/zfsbench-0c7c9a41-0 --run --metadata=1.2 --level=raid1 --raid-devices=2 " +
		"--uuid=guid-6 --homehost=zfsbench --bitmap=internal " +
		"/dev/disk/by-partuuid/guid-4 /dev/disk/by-partuuid/guid-2"
	want := &result.BaselineFacts{
		Type: "ext4", SizeBytes: 1 << 30, AvailableBytes: 1 << 29, MountOptions: "rw,nosuid,data=journal",
		CacheBudgetBytes: 1 << 30,
		MadeWith: strings.Fields("mke2fs -q -t ext4 -E nodiscard,lazy_itable_init=0,lazy_journal_init=0 -U guid-5 " +
			"/dev/md127"),
		Array: &result.ArrayFacts{Level: "raid1", Disks: 2, Bitmap: "internal", MadeWith: strings.Fields(made),
			LeastSyncBytesPerSecond: 1000 << 10, MostSyncBytesPerSecond: 200000 << 10},
	}
	for _, s := range w.trials[0].Samples {
		if diff := cmp.Diff(want, s.Baseline); diff != "" {
			t.Errorf("workload %s, facts (-want +got):\n%s", s.Workload, diff)
		}
	}
}

// What is recorded before mdadm is started: one UUID for the array and one for the filesystem on it, for every
// partition that is a member, and for no other.
func TestRecordOfAnArray(t *testing.T) {
	w := newWorld(t)
	p := arrayPlan(w)
	p.Devices[0].Partitions = []plan.Partition{{Name: "p0", SizeBytes: 64 << 20}, {Name: "p1"}}
	p.Variants[0].Baseline.Filesystem.MD.Devices = []string{"p1", "d1"}
	p.Variants, p.Trials = p.Variants[:1], p.Trials[:1]
	var owned *result.Ownership
	w.on["mdadm --create"] = func() { owned = w.ownership }
	if got, _ := w.execute(t.Context(), p); got.Progress.State != result.StateComplete {
		t.Fatalf("outcome %+v, failure %+v", got, got.Progress.Failure)
	}
	want := [][]result.OwnedPartition{
		{{Name: "p0", GUID: "guid-2", SizeBytes: 64 << 20}, {Name: "p1", GUID: "guid-3", FilesystemUUID: "guid-6",
			ArrayUUID: "guid-7"}},
		{{Name: "d1", GUID: "guid-5", FilesystemUUID: "guid-6", ArrayUUID: "guid-7"}},
	}
	for i, d := range owned.Devices {
		if diff := cmp.Diff(want[i], d.Partitions); diff != "" {
			t.Errorf("device %s (-want +got):\n%s", d.Name, diff)
		}
	}
	if owned.ArrayUUID() != "guid-7" || owned.Baseline != "ext4" {
		t.Errorf("recorded %+v", owned)
	}
}

// After a crash the node may be rebooted, and udev assembles what it finds under another name: all of the array, a part
// of it, which does not run, or nothing.
func TestRebootedAnywhere(t *testing.T) {
	tests := map[string]func(path string) bool{
		"assembled":   func(string) bool { return true },
		"incomplete":  func(path string) bool { return strings.HasSuffix(path, "d1") },
		"unassembled": func(string) bool { return false },
	}
	for name, sees := range tests {
		t.Run(name, func(t *testing.T) {
			everyCallOf(t, func(*world) {}, arrayPlan, 1, []fault{diesAfter}, func(t *testing.T, w *world, p plan.Plan) {
				completesAfterKill(t, w, p, func() { w.reboot(sees) })
			})
		})
	}
}

// mdadm writes to one device after the other: one that was killed has made some of them members, and the kernel has an
// array of those, or none.
func TestKilledWhileAnArrayIsMade(t *testing.T) {
	tests := map[string]struct {
		members []string
		array   bool
	}{
		"nothing yet":      {},
		"one member":       {members: []string{"d1"}},
		"an array of one":  {members: []string{"d1"}, array: true},
		"both, not run":    {members: []string{"d0", "d1"}, array: true},
		"both, no array":   {members: []string{"d0", "d1"}},
		"the other member": {members: []string{"d0"}, array: true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			p := arrayPlan(w)
			w.fault = func(_ int, call string) fault {
				if strings.HasPrefix(call, "mdadm --create") {
					return diesBefore
				}
				return fine
			}
			if _, alive := w.execute(t.Context(), p); alive {
				t.Fatal("the runner was not killed")
			}
			w.fault = nil
			for _, name := range tt.members {
				w.disks["/dev/disk/by-id/"+name].array = "guid-6"
			}
			if tt.array {
				w.reboot(func(string) bool { return true })
			}
			if got, _ := w.execute(t.Context(), p); got.Progress.State != result.StateComplete || len(w.left()) != 0 {
				t.Errorf("outcome %+v, failure %+v, left %v", got, got.Progress.Failure, w.left())
			}
		})
	}
}

// An array that is not provably the benchmark's own is not touched, and the record stays. When it is gone, the clean-up
// goes on.
func TestForeignArraysAreNotTouched(t *testing.T) {
	tests := map[string]struct {
		change, mend func(*world)
		want         string
	}{
		"another device in it": {
			func(w *world) { w.arrays[newArray].members = append(w.arrays[newArray].members, "/dev/sdz1") },
			func(w *world) { w.arrays[newArray].members = w.arrays[newArray].members[:2] },
			"/dev/md127 is not provably this benchmark's and is not touched: its device /dev/sdz1",
		},
		"another UUID": {
			func(w *world) { w.arrays[newArray].uuid = "precious" }, func(w *world) { w.arrays[newArray].uuid = "guid-6" },
			"its UUID is precious",
		},
		"mounted by somebody else": {
			func(w *world) { w.arrays[newArray].usedBy = "/mnt/precious" }, func(w *world) { w.arrays[newArray].usedBy = "" },
			"it is mounted at /mnt/precious",
		},
		"another filesystem on it": {
			func(w *world) { w.diskWith(w.arrays[newArray].members[0]).onArray = "precious" },
			func(w *world) { w.diskWith(w.arrays[newArray].members[0]).onArray = "guid-5" },
			"it holds a filesystem with the UUID precious",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			p := arrayPlan(w)
			w.on["fio rw=read"] = func() { test.change(w) }
			got, _ := w.execute(t.Context(), p)
			f := got.Progress.Failure
			if f == nil || f.Reason != v1alpha1.ReasonCleanupFailed || !strings.Contains(f.Message, test.want) ||
				!strings.Contains(f.Message, "the ext4 filesystem on its md array guid-6 is left on d0 at") {
				t.Errorf("failure %+v", f)
			}
			if w.arrays[newArray] == nil || w.disks["/dev/disk/by-id/d0"].array == "" || w.ownership == nil ||
				slices.ContainsFunc(w.transcript, func(call string) bool {
					return strings.HasPrefix(call, "release") || strings.HasPrefix(call, "mdadm --zero-superblock")
				}) {
				t.Errorf("touched: left is only %v", w.left())
			}
			test.mend(w)
			clear(w.on)
			if again, _ := w.cleanUp(p); again.Progress.State != result.StateCleaned || len(w.left()) != 0 {
				t.Errorf("clean-up %+v, failure %+v, left %v", again, again.Progress.Failure, w.left())
			}
		})
	}
}

// A partition that udev has found in somebody's array meanwhile, or that says so itself, is left alone.
func TestForeignMembersAreNotTouched(t *testing.T) {
	w := newWorld(t)
	p := arrayPlan(w)
	w.fault = func(_ int, call string) fault {
		if strings.HasPrefix(call, "mdadm --create") {
			return diesAfter
		}
		return fine
	}
	w.execute(t.Context(), p)
	w.fault = nil
	clear(w.arrays)
	w.disks["/dev/disk/by-id/d1"].array = "precious"
	got, _ := w.cleanUp(p)
	f := got.Progress.Failure
	if f == nil || f.Reason != v1alpha1.ReasonCleanupFailed || !strings.Contains(f.Message,
		"it is a member of precious") || w.disks["/dev/disk/by-id/d1"].array != "precious" {
		t.Errorf("failure %+v, left %v", f, w.left())
	}
}

func TestWhatTheNodeLacksForArrays(t *testing.T) {
	tests := map[string]struct {
		arrange func(*world, *plan.Plan)
		want    string
	}{
		"a level": {func(w *world, _ *plan.Plan) {
			w.lacks = map[string]error{"md": errors.New("the node has no md raid0 in its kernel, nor a module with it")}
		}, "Md arrays cannot be used: the node has no md raid0 in its kernel"},
		"room": {func(_ *world, p *plan.Plan) {
			p.Devices[0].SizeBytes, p.Devices[1].SizeBytes = 66<<20, 66<<20
		}, "Ext4 of variant ext4 needs 64 MiB, and its md array has"},
		"an unknown level": {func(_ *world, p *plan.Plan) { p.Variants[0].Baseline.Filesystem.MD.Level = "raid4" },
			"This runner does not know md arrays of level raid4."},
	}
	for name, tt := range tests {
		for _, dryRun := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				w := newWorld(t)
				p := arrayPlan(w)
				p.DryRun = dryRun
				tt.arrange(w, &p)
				wantPreflightRefusal(t, w, p, tt.want, "mdadm")
			})
		}
	}
}

// trimPlan trims ext4 on an array of four disks.
func trimPlan(w *world, level v1alpha1.MDLevel) plan.Plan {
	p := arrayScenarioPlan(w)
	p.Workloads = []v1alpha1.Workload{{Name: "trim", Cache: v1alpha1.CacheWarm,
		Pool: &v1alpha1.PoolOperation{Trim: &v1alpha1.TrimOperation{}}}}
	p.Variants[0].Baseline.Filesystem.MD.Level, p.Variants[0].Baseline.Filesystem.MD.Devices = level,
		[]string{"d0", "d1", "d2", "d3"}
	return p
}

// A trim of which an array with parity would tell its devices nothing is refused before anything is written, and by a
// dry run.
func TestWhatParityArraysDoNotPassOn(t *testing.T) {
	const parameter = "raid456.devices_handle_discard_safely"
	tests := map[string]struct {
		arrange func(*world)
		want    string
	}{
		"off": {func(w *world) { w.parityDiscards = "N" },
			"Workload trim trims an md array with parity, and the kernel's parameter " + parameter +
				" is N, so the array does not pass trims on to its devices: " +
				"if they read as zeros after a discard, write Y to " +
				"/sys/module/raid456/parameters/devices_handle_discard_safely, else leave the workload out."},
		"not to be read": {func(w *world) { w.unreadableDiscards = errors.New("no answer") },
			"it is not known whether the array passes trims on: no answer."},
	}
	for name, tt := range tests {
		for _, level := range []v1alpha1.MDLevel{v1alpha1.MDRaid5, v1alpha1.MDRaid6} {
			for _, dryRun := range []bool{false, true} {
				t.Run(name, func(t *testing.T) {
					w := newWorld(t)
					p := trimPlan(w, level)
					p.DryRun = dryRun
					tt.arrange(w)
					wantPreflightRefusal(t, w, p, tt.want, "mdadm")
				})
			}
		}
	}
}

func TestTrimsThatArraysMayPassOn(t *testing.T) {
	tests := map[string]struct {
		discards string
		arrange  func(*plan.Plan)
		outcome  string
		want     string
	}{
		"on": {discards: "Y", outcome: result.OutcomePassed},
		"not loaded": {outcome: result.OutcomeWarning,
			want: "load it with modprobe raid456 devices_handle_discard_safely=Y."},
		"copies": {discards: "N", arrange: func(p *plan.Plan) {
			p.Variants[0].Baseline.Filesystem.MD.Level = v1alpha1.MDRaid10
		}, outcome: result.OutcomePassed},
		"no trim": {discards: "N", arrange: func(p *plan.Plan) {
			p.Workloads[0].Pool = &v1alpha1.PoolOperation{Scrub: &v1alpha1.ScrubOperation{}}
		}, outcome: result.OutcomePassed},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.parityDiscards = tt.discards
			p := trimPlan(w, v1alpha1.MDRaid6)
			p.DryRun = true
			if tt.arrange != nil {
				tt.arrange(&p)
			}
			got, _ := w.execute(t.Context(), p)
			i := slices.IndexFunc(got.Progress.Preflight.Checks, func(c result.Check) bool { return c.Name == "md arrays" })
			if found := got.Progress.Preflight.Checks[i]; found.Outcome != tt.outcome ||
				!strings.Contains(found.Message, tt.want) || got.Progress.State != result.StateComplete {
				t.Errorf("check %+v, failure %+v", found, got.Progress.Failure)
			}
		})
	}
}

// The progress says how far the first sync is, and nothing is measured before its end.
func TestProgressOfTheFirstSync(t *testing.T) {
	w := newWorld(t)
	p := arrayPlan(w)
	p.Trials = p.Trials[:1]
	e := w.engine(p)
	e.timings.SyncPoll = 10 * time.Millisecond
	var step string
	w.on["state of"] = func() {
		e.progress.mu.Lock()
		defer e.progress.mu.Unlock()
		if w.arrays[newArray].looked == 1 && e.progress.current.Current != nil {
			step = e.progress.current.Current.Step
		}
	}
	if got, _ := w.work(func() Outcome { return e.Execute(t.Context()) }); got.Progress.State != result.StateComplete {
		t.Fatalf("outcome %+v, failure %+v", got, got.Progress.Failure)
	}
	if step != "wait for the array's first sync: resync, 40%" {
		t.Errorf("step %q", step)
	}
}

// What the kernel does with an array by itself is not to be measured, nor an array that has lost a device.
func TestArraysThatAreDisturbed(t *testing.T) {
	tests := map[string]struct {
		arrange func(*world)
		want    string
	}{
		"a device has failed": {func(w *world) { w.on["fio rw=write"] = func() { w.degraded = true } },
			"1 of the 2 devices of the md array are missing or have failed, it should be 0"},
		"the node checks it": {func(w *world) { w.checksArrays = true },
			"the kernel was working on the md array in the background: check"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			p := arrayPlan(w)
			p.Trials = p.Trials[:1]
			tt.arrange(w)
			w.execute(t.Context(), p)
			if f := w.trials[0].Failure; f == nil || f.Reason != v1alpha1.ReasonBaselineFailed ||
				!strings.Contains(f.Message, tt.want) || len(w.left()) != 0 {
				t.Errorf("failure %+v, left %v", f, w.left())
			}
		})
	}
}

// An array that never gets in sync ends with the time of the benchmark, and is torn down.
func TestAFirstSyncThatDoesNotEnd(t *testing.T) {
	w := newWorld(t)
	p := arrayPlan(w)
	p.TimeoutSeconds = 1
	w.degraded = true
	got, _ := w.execute(t.Context(), p)
	if f := got.Progress.Failure; f == nil || f.Reason != v1alpha1.ReasonTimedOut || len(w.left()) != 0 {
		t.Errorf("failure %+v, left %v", f, w.left())
	}
}

// The kernel may name the array in another way than it was mounted, and only the proof says that the mount is ours.
func TestUnmountOfAProvedArray(t *testing.T) {
	w := newWorld(t)
	p := arrayPlan(w)
	p.Trials = p.Trials[:1]
	w.fault = func(n int, call string) fault {
		if call == "what is mounted?" && strings.HasPrefix(w.transcript[n-1], "mount -t ext4") {
			return fails
		}
		return fine
	}
	got, _ := w.execute(t.Context(), p)
	if f := got.Progress.Failure; f == nil || f.Reason != v1alpha1.ReasonBaselineFailed ||
		!slices.Contains(w.transcript, "unmount") || len(w.left()) != 0 {
		t.Errorf("failure %+v, left %v", f, w.left())
	}
}
