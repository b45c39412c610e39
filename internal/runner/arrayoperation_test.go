// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
)

// arrayScenarioPlan has ext4 on a mirror of two partitions, does with it everything that can be done with an array, and
// replaces both members, one of them while it is in use.
func arrayScenarioPlan(w *world) plan.Plan {
	p := arrayPlan(w)
	for _, name := range []string{"d2", "d3"} {
		added := p.Devices[0]
		added.Name, added.Path, added.Serial = name, "/dev/disk/by-id/"+name, "serial-"+name
		p.Devices = append(p.Devices, added)
		if w.disks[added.Path] == nil {
			w.disks[added.Path] = &fakeDisk{}
		}
	}
	p.Variants = p.Variants[:1]
	p.Variants[0].Baseline.Filesystem.MD.Devices = []string{"d0", "d1"}
	on := func(name string, o v1alpha1.PoolOperation) v1alpha1.Workload {
		return v1alpha1.Workload{Name: name, Cache: v1alpha1.CacheWarm, Pool: &o}
	}
	p.Workloads = []v1alpha1.Workload{
		{Name: "write", Cache: v1alpha1.CacheWarm, Fio: &v1alpha1.FioWorkload{RW: v1alpha1.FioWrite,
			Size: resource.MustParse("1Mi")}},
		on("fill", v1alpha1.PoolOperation{Fill: &v1alpha1.FillOperation{Percent: 50}}),
		on("trim", v1alpha1.PoolOperation{Trim: &v1alpha1.TrimOperation{}}),
		on("scrub", v1alpha1.PoolOperation{Scrub: &v1alpha1.ScrubOperation{}}),
		on("degrade", v1alpha1.PoolOperation{Offline: &v1alpha1.OfflineOperation{Device: "d1"}}),
		{Name: "read", Cache: v1alpha1.CacheCold, Fio: &v1alpha1.FioWorkload{RW: v1alpha1.FioRead,
			Size: resource.MustParse("1Mi")}},
		on("restore", v1alpha1.PoolOperation{Online: &v1alpha1.OnlineOperation{Device: "d1"}}),
		on("degrade-again", v1alpha1.PoolOperation{Offline: &v1alpha1.OfflineOperation{Device: "d1"}}),
		on("rebuild", v1alpha1.PoolOperation{Replace: &v1alpha1.ReplaceOperation{Device: "d1", With: "d2"}}),
		{
			Name: "read-while-copying", Cache: v1alpha1.CacheWarm, Fio: &v1alpha1.FioWorkload{RW: v1alpha1.FioRead,
				Size: resource.MustParse("1Mi")},
			During: &v1alpha1.DuringOperation{Replace: &v1alpha1.ReplaceOperation{Device: "d0", With: "d3"}},
		},
	}
	p.Trials = p.Trials[:1]
	return p
}

func TestOrderOfAScenarioOnAnArray(t *testing.T) {
	w := newWorld(t)
	p := arrayScenarioPlan(w)
	p.Workloads = p.Workloads[:9]
	if got, _ := w.execute(t.Context(), p); got.Progress.State != result.StateComplete {
		t.Fatalf("outcome %+v, failure %+v", got, got.Progress.Failure)
	}
	compareTranscript(t, w, "arrayscenario")
	if left := w.left(); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
	got := map[string]string{}
	for _, s := range w.trials[0].Samples {
		for _, p := range s.Phases {
			if p.RuntimeNanoseconds <= 0 || len(s.Argv) == 0 {
				t.Errorf("sample %+v", s)
			}
			got[s.Workload] = s.ToolVersion + " " + p.Name
		}
	}
	want := map[string]string{
		"fill": "fill-v1 fill", "trim": "FITRIM trim", "scrub": "mdadm-4.4 scrub", "degrade": "mdadm-4.4 offline",
		"restore": "mdadm-4.4 online", "degrade-again": "mdadm-4.4 offline", "rebuild": "mdadm-4.4 replace",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("phases (-want +got):\n%s", diff)
	}
	if _, err := result.EncodeTrialWithin(w.trials[0], 1<<20); err != nil {
		t.Errorf("the result is refused: %v", err)
	}
}

// What the operations are measured by: a check by what it reads of all devices, a replacement by what is written to the
// new one, a device that comes back by its time where a bitmap knows what it missed.
func TestRatesOnAnArray(t *testing.T) {
	for bitmap, restored := range map[v1alpha1.MDBitmap]int64{v1alpha1.MDBitmapInternal: 0,
		v1alpha1.MDBitmapNone: 1 << 20} {
		w := newWorld(t)
		p := arrayScenarioPlan(w)
		p.Variants[0].Baseline.Filesystem.MD.Bitmap = bitmap
		if got, _ := w.execute(t.Context(), p); got.Progress.State != result.StateComplete {
			t.Fatalf("outcome %+v, failure %+v", got, got.Progress.Failure)
		}
		bytes := map[string]int64{}
		var degraded []int
		for _, s := range w.trials[0].Samples {
			if len(s.Phases) == 1 && s.Filled == nil {
				bytes[s.Workload] = s.Phases[0].Bytes
			}
			if s.During != nil {
				bytes[s.Workload] = s.During.Bytes
			}
			degraded = append(degraded, s.Baseline.Array.Degraded)
		}
		want := map[string]int64{"trim": 0, "scrub": 2 << 20, "degrade": 0, "degrade-again": 0, "restore": restored,
			"rebuild": 1 << 20, "read-while-copying": 1 << 20}
		if diff := cmp.Diff(want, bytes); diff != "" {
			t.Errorf("bytes with bitmap %s (-want +got):\n%s", bitmap, diff)
		}
		if diff := cmp.Diff([]int{0, 0, 0, 0, 1, 1, 0, 1, 0, 0}, degraded); diff != "" {
			t.Errorf("degraded (-want +got):\n%s", diff)
		}
		if filled := w.trials[0].Samples[1].Filled; filled == nil || filled.After.FilledPercent() < 49 ||
			filled.After.FragmentationPercent != -1 {
			t.Errorf("filled %+v", filled)
		}
	}
}

// The device that is going to replace another one is recorded with the array before anything is written, so that
// whoever cleans up finds it.
func TestRecordOfAReplacement(t *testing.T) {
	w := newWorld(t)
	var owned *result.Ownership
	w.on["partition"] = func() { owned = w.ownership }
	if got, _ := w.execute(t.Context(), arrayScenarioPlan(w)); got.Progress.State != result.StateComplete {
		t.Fatalf("outcome %+v, failure %+v", got, got.Progress.Failure)
	}
	for _, d := range owned.Devices {
		for _, p := range d.Partitions {
			if p.ArrayUUID == "" || p.ArrayUUID != owned.ArrayUUID() || p.FilesystemUUID == "" {
				t.Errorf("recorded %+v", p)
			}
		}
	}
}

// What an operation finds or meets makes the trial fail with the reason, and leaves nothing.
func TestOperationsOnAnArrayThatFail(t *testing.T) {
	tests := map[string]struct {
		arrange      func(*world, *plan.Plan)
		reason, want string
	}{
		"a device that fails meanwhile": {func(w *world, _ *plan.Plan) { w.losesMembers = true },
			v1alpha1.ReasonWorkloadFailed, "has lost"},
		"a filesystem that does not trim": {func(w *world, _ *plan.Plan) { w.cannotTrim = true },
			v1alpha1.ReasonWorkloadFailed, "cannot be told which space is free"},
		"an array that is not to be found": {func(w *world,
			_ *plan.Plan) {
			w.on["trim the mount"] = func() { clear(w.arrays) }
		}, v1alpha1.ReasonBaselineFailed,
			"there is no such array"},
		"parity that does not match": {func(w *world, p *plan.Plan) {
			p.Variants[0].Baseline.Filesystem.MD.Level = v1alpha1.MDRaid5
			p.Variants[0].Baseline.Filesystem.MD.Devices = []string{"d0", "d1", "d2"}
			p.Workloads = p.Workloads[:4]
			w.mismatched = true
		}, v1alpha1.ReasonVdevErrors, "4096 bytes do not match their parity"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			p := arrayScenarioPlan(w)
			test.arrange(w, &p)
			got, _ := w.execute(t.Context(), p)
			f := got.Progress.Failure
			if f == nil || f.Reason != test.reason || !strings.Contains(f.Message, test.want) {
				t.Errorf("failure %+v", f)
			}
			if left := w.left(); len(left) != 0 {
				t.Errorf("left %v", left)
			}
		})
	}
}

// Copies that differ are not damage: what changes in memory while it is written may differ. How much it is, is in the
// result.
func TestMismatchOfAMirror(t *testing.T) {
	w := newWorld(t)
	w.mismatched = true
	p := arrayScenarioPlan(w)
	if got, _ := w.execute(t.Context(), p); got.Progress.State != result.StateComplete {
		t.Fatalf("outcome %+v, failure %+v", got, got.Progress.Failure)
	}
	if got := w.trials[0].Samples[3].Baseline.Array.MismatchBytes; got != 4096 {
		t.Errorf("%d bytes", got)
	}
}

// A runner that is killed at either side of any command on an array, also between those of one operation, leaves an
// array with devices that failed, are removed, or are about to replace others: the next one takes it apart and begins
// again, also after a reboot.
func TestKilledInAScenarioOnAnArray(t *testing.T) {
	changes := func(call string) bool {
		return strings.HasPrefix(call, "mdadm --") && !strings.HasPrefix(call, "mdadm --create")
	}
	for name, reboots := range map[string]bool{"": false, "and rebooted": true} {
		t.Run(name, func(t *testing.T) {
			callsOf(t, changes, func(*world) {}, arrayScenarioPlan, 1, []fault{diesBefore, diesAfter},
				func(t *testing.T, w *world, p plan.Plan) {
					completesAfterKill(t, w, p, func() {
						if reboots {
							w.reboot(func(string) bool { return true })
						}
					})
				})
		})
	}
}

// Names may become those of others between two commands of one operation, of which the last may come hours after the
// first: it is not given then.
func TestArrayThatIsAnotherMeanwhile(t *testing.T) {
	tests := map[string]struct{ workload, after, never string }{
		"degrade":            {"degrade", "mdadm --manage /dev/md127 --fail", "--remove"},
		"replace, first":     {"read-while-copying", "mdadm --manage /dev/md127 --add", "--replace"},
		"replace, afterward": {"read-while-copying", "mdadm --manage /dev/md127 --replace", "--remove"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			p := arrayScenarioPlan(w)
			p.Workloads = slices.DeleteFunc(p.Workloads, func(of v1alpha1.Workload) bool {
				return of.Name != "write" &&
					of.Name != test.workload
			})
			w.on[test.after] = func() {
				w.on["find member"] = func() {
					if array := w.arrays["/dev/md127"]; array != nil {
						w.arrays["/dev/md0"] = array
						delete(w.arrays, "/dev/md127")
					}
				}
			}
			got, _ := w.execute(t.Context(), p)
			f := got.Progress.Failure
			if f == nil || !strings.Contains(f.Message, "md127") {
				t.Errorf("failure %+v", f)
			}
			if slices.ContainsFunc(w.transcript, func(call string) bool { return strings.Contains(call, test.never) }) {
				t.Errorf("%s was done", test.never)
			}
		})
	}
}

// A device that says it is in somebody's array is neither added nor touched.
func TestForeignReplacement(t *testing.T) {
	w := newWorld(t)
	p := arrayScenarioPlan(w)
	w.on["mdadm --manage /dev/md127 --remove"] = func() {
		w.on["find member d2"] = func() { w.disks["/dev/disk/by-id/d2"].array = "precious" }
	}
	got, _ := w.execute(t.Context(), p)
	f := got.Progress.Failure
	if f == nil || !strings.Contains(f.Message, "it is a member of precious") {
		t.Errorf("failure %+v", f)
	}
	if slices.ContainsFunc(w.transcript, func(call string) bool {
		return strings.Contains(call, "--add") &&
			strings.Contains(call, "guid-7")
	}) {
		t.Error("it was added")
	}
}
