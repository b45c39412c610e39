// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/storage/blockdev"
)

const goneDisk = "/dev/disk/by-id/d0"

// crashedWorld is one in which a runner died at work, and somebody else took one of its disks.
func crashedWorld(t *testing.T, where blockdev.DiskState) *world {
	t.Helper()
	return crashedOn(t, testPlan, where)
}

func crashedOn(t *testing.T, planFor func(*world) plan.Plan, where blockdev.DiskState) *world {
	t.Helper()
	w := newWorld(t)
	w.fault = func(_ int, call string) fault {
		if strings.HasPrefix(call, "fio rw=write") {
			return diesBefore
		}
		return fine
	}
	if _, ok := w.execute(t.Context(), planFor(w)); ok {
		t.Fatal("the runner does not die")
	}
	if own := w.ownership.Devices[0]; own.Path != goneDisk {
		t.Fatalf("the first recorded device is %+v", own)
	}
	w.fault, w.transcript = nil, nil
	w.whereabouts = map[string]blockdev.DiskState{goneDisk: where}
	*w.disks[goneDisk] = fakeDisk{diskGUID: "of somebody else"}
	return w
}

// wantOthersReleased wants the disk that is gone to be left alone, and everything else to be given back.
func (w *world) wantOthersReleased(t *testing.T) {
	t.Helper()
	for _, p := range w.pools {
		if p.name != "tank" && (p.imported || len(p.paths) != 1) {
			t.Errorf("the pool is imported (%t), and on %v", p.imported, p.paths)
		}
	}
	// What is left of the pool is on the disk that is gone.
	maps.DeleteFunc(w.pools, func(name string, _ *fakePool) bool { return name != "tank" })
	if got := *w.disks[goneDisk]; got != (fakeDisk{diskGUID: "of somebody else"}) {
		t.Errorf("the disk of somebody else is %+v", got)
	}
	for _, touched := range []string{"release d0", "prove d0"} {
		if slices.Contains(w.transcript, touched) {
			t.Errorf("%s:\n%s", touched, strings.Join(w.transcript, "\n"))
		}
	}
	*w.disks[goneDisk] = fakeDisk{}
	if left := w.left(); len(left) > 0 || w.ownership != nil {
		t.Errorf("left %v, recorded %+v", left, w.ownership)
	}
}

// TestRepurposedDiskIsLeftAlone, and does not keep the rest from being cleaned up.
func TestRepurposedDiskIsLeftAlone(t *testing.T) {
	w := crashedWorld(t, blockdev.Repurposed)
	got, _ := w.cleanUp(testPlan(w))
	if got.Progress.State != result.StateCleaned || len(got.Progress.Gone) != 1 ||
		!strings.Contains(got.Progress.Gone[0], "device d0") {
		t.Errorf("outcome %+v", got)
	}
	w.wantOthersReleased(t)
}

// TestMissingDisk holds the node until it is back, or an administrator gives it up, by serial number or path.
func TestMissingDisk(t *testing.T) {
	for name, forget := range map[string]string{"by serial number": "s0", "by path": goneDisk} {
		t.Run(name, func(t *testing.T) {
			w := crashedWorld(t, blockdev.Missing)
			got, _ := w.cleanUp(testPlan(w))
			failure := got.Progress.Failure
			if failure == nil || failure.Reason != v1alpha1.ReasonCleanupFailed ||
				!strings.Contains(failure.Message, "kubectl annotate zfsbenchmark b -n default zfsbench.io/forget-devices=s0") {
				t.Fatalf("outcome %+v", got)
			}
			w.forgotten, w.transcript = []string{"another", forget}, nil
			if got, _ = w.cleanUp(testPlan(w)); got.Progress.State != result.StateCleaned || len(got.Progress.Gone) != 1 {
				t.Errorf("outcome %+v", got)
			}
			w.wantOthersReleased(t)
		})
	}
}

// diskAndFilePlan has a pool on the disk that goes, with a log on a file, which stays.
func diskAndFilePlan(w *world) plan.Plan {
	p := testPlan(w)
	p.Devices = []plan.Device{p.Devices[0], p.Devices[2]}
	p.Variants[0].Pool.Vdevs = []v1alpha1.Vdev{{Type: v1alpha1.VdevStripe, Devices: []string{"d0"}}}
	return p
}

// lacksDevices is a world in which a reboot has removed the pool, and nobody can import it without what it lacks.
func lacksDevices(t *testing.T, planFor func(*world) plan.Plan, where blockdev.DiskState) *world {
	t.Helper()
	w := crashedOn(t, planFor, where)
	for name, p := range w.pools {
		p.imported = name == "tank"
	}
	w.unavailable = true
	return w
}

// TestUnavailablePool goes with what is left of its devices only if all that it lacks is provably gone, or given up.
func TestUnavailablePool(t *testing.T) {
	tests := map[string]struct {
		planFor func(*world) plan.Plan
		where   blockdev.DiskState
		forget  string
		want    string
	}{
		"its disk is somebody else's":    {diskAndFilePlan, blockdev.Repurposed, "", ""},
		"its disk is given up":           {diskAndFilePlan, blockdev.Missing, "s0", ""},
		"its disk is missing":            {diskAndFilePlan, blockdev.Missing, "", "is currently unavailable"},
		"its disk is there":              {diskAndFilePlan, blockdev.Present, "", "is currently unavailable"},
		"another disk is away as well":   {testPlan, blockdev.Repurposed, "", "of device d1 is missing"},
		"given up, another disk is away": {testPlan, blockdev.Missing, "s0", "of device d1 is missing"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := lacksDevices(t, test.planFor, test.where)
			w.forgotten = []string{test.forget}
			got, _ := w.cleanUp(test.planFor(w))
			if test.want == "" {
				if got.Progress.State != result.StateCleaned || len(got.Progress.Gone) != 1 {
					t.Errorf("outcome %+v, failure %+v", got, got.Progress.Failure)
				}
				w.wantOthersReleased(t)
				return
			}
			f := got.Progress.Failure
			if f == nil || f.Reason != v1alpha1.ReasonCleanupFailed || !strings.Contains(f.Message, test.want) {
				t.Errorf("outcome %+v, failure %+v, want %q", got, f, test.want)
			}
			if w.ownership == nil || len(w.files) != 1 {
				t.Errorf("touched: left is only %v", w.left())
			}
			for _, touched := range []string{"release d0", "release d1", "remove file f0"} {
				if slices.Contains(w.transcript, touched) {
					t.Errorf("%s:\n%s", touched, strings.Join(w.transcript, "\n"))
				}
			}
		})
	}
}

// TestForgottenDiskThatIsThere is cleaned up all the same.
func TestForgottenDiskThatIsThere(t *testing.T) {
	w := crashedWorld(t, blockdev.Present)
	w.forgotten = []string{"s0"}
	if got, _ := w.cleanUp(testPlan(w)); got.Progress.Failure == nil || len(got.Progress.Gone) > 0 {
		t.Errorf("outcome %+v", got)
	}
}
