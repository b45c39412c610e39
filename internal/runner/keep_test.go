// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"slices"
	"strings"
	"testing"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
)

// keptPlan has a pool, and a filesystem, for two repetitions each.
func keptPlan(w *world) plan.Plan {
	p := testPlan(w)
	p.FreshPool, p.DevicePreparation = v1alpha1.FreshPoolPerVariant, v1alpha1.DevicePreparationDiscard
	p.Variants = append(p.Variants, baselinePlan(w).Variants[0])
	p.Trials = append(p.Trials, plan.Trial{Index: 2, Variant: "ext4", Repetition: 1},
		plan.Trial{Index: 3, Variant: "ext4", Repetition: 2})
	return p
}

// keptBaselinePlan has only the filesystem.
func keptBaselinePlan(w *world) plan.Plan {
	p := keptPlan(w)
	p.Trials = []plan.Trial{{Index: 0, Variant: "ext4", Repetition: 1}, {Index: 1, Variant: "ext4", Repetition: 2}}
	return p
}

// earlier are how many trials ran before each on its pool.
func earlier(w *world) []int {
	var all []int
	for i := range len(w.trials) {
		all = append(all, w.trials[i].EarlierOnPool)
	}
	return all
}

func TestOrderOnKeptPools(t *testing.T) {
	w := newWorld(t)
	if got, _ := w.execute(t.Context(), keptPlan(w)); got.Progress.State != result.StateComplete ||
		got.Progress.Completed != 4 {
		t.Errorf("outcome %+v", got)
	}
	compareTranscript(t, w, "keptpools")
	if left := w.left(); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
	if got := earlier(w); !slices.Equal(got, []int{0, 1, 0, 1}) {
		t.Errorf("%v trials ran before each on its pool", got)
	}
}

func TestOrderOnAKeptVolumesFilesystem(t *testing.T) {
	w := newWorld(t)
	p := volumeFilesystemPlan(w)
	p.FreshPool = v1alpha1.FreshPoolPerVariant
	if got, _ := w.execute(t.Context(), p); got.Progress.State != result.StateComplete {
		t.Errorf("outcome %+v", got)
	}
	compareTranscript(t, w, "keptvolume")
	if got := earlier(w); !slices.Equal(got, []int{0, 1}) || len(w.left()) != 0 {
		t.Errorf("%v trials ran before each on its pool; left %v", got, w.left())
	}
}

// A suspended benchmark leaves nothing, and goes on with a new pool.
func TestSuspendedOnAKeptPool(t *testing.T) {
	w := newWorld(t)
	w.on["sink: trial 0"] = func() { w.suspend = true }
	got, _ := w.execute(t.Context(), keptPlan(w))
	if got.Progress.State != result.StateSuspended || w.ownership != nil ||
		!slices.Equal(w.left(), []string{"workspace"}) {
		t.Errorf("outcome %+v, left %v", got, w.left())
	}
	w.suspend, w.on = false, map[string]func(){}
	if got, _ := w.execute(t.Context(), keptPlan(w)); got.Progress.State != result.StateComplete || len(w.left()) != 0 {
		t.Errorf("outcome %+v, left %v", got, w.left())
	}
	if got := earlier(w); !slices.Equal(got, []int{0, 0, 0, 1}) {
		t.Errorf("%v trials ran before each on its pool", got)
	}
}

// A suspension does not hide that the pool could not be torn down.
func TestSuspendedOnAPoolThatStays(t *testing.T) {
	w := newWorld(t)
	const pool = "zfsbench-0c7c9a41-0"
	w.on["sink: trial 0"] = func() {
		w.suspend, w.pools[pool].datasets = true,
			append(w.pools[pool].datasets, pool+"/precious")
	}
	got, _ := w.execute(t.Context(), keptPlan(w))
	if f := got.Progress.Failure; f == nil || f.Reason != v1alpha1.ReasonCleanupFailed ||
		!strings.Contains(f.Message, "precious") {
		t.Errorf("outcome %+v, failure %+v", got, f)
	}
}

// What a failed trial ran on is nobody else's, and neither is what was taken from under a trial.
func TestPoolsThatAreNotKept(t *testing.T) {
	tests := map[string]struct {
		change func(*world)
		want   []int
	}{
		"a failed trial": {func(w *world) { w.fioOutput["rw=write"] = "fio-3.39-write-enospc.json" }, []int{0, 0, 0, 0}},
		"an excluded attempt": {func(w *world) {
			calls := 0
			w.fault = func(_ int, call string) fault {
				if call == "fio rw=write" {
					if calls++; calls == 1 {
						return fails
					}
				}
				return fine
			}
		}, []int{0, 1, 0, 1}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			test.change(w)
			w.execute(t.Context(), keptPlan(w))
			if got := earlier(w); !slices.Equal(got, test.want) || len(w.left()) != 0 {
				t.Errorf("%v trials ran before each on its pool, want %v; left %v", got, test.want, w.left())
			}
		})
	}
}

// The dataset in a pool that is no longer provably ours is not destroyed.
func TestForeignThingsInAKeptPool(t *testing.T) {
	const pool = "zfsbench-0c7c9a41-0"
	tests := map[string]func(*world){
		"another GUID":    func(w *world) { w.pools[pool].guid = "4711" },
		"another owner":   func(w *world) { w.pools[pool].owner = "me" },
		"another dataset": func(w *world) { w.pools[pool].datasets = append(w.pools[pool].datasets, pool+"/precious") },
		"exported":        func(w *world) { w.pools[pool].imported, w.mounted = false, "" },
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.on["sink: own trial 1"] = func() { change(w) }
			got, _ := w.execute(t.Context(), keptPlan(w))
			if got.Progress.State != result.StateFailed || slices.Contains(w.transcript, "zfs destroy "+pool+"/bench") {
				t.Errorf("outcome %+v", got)
			}
		})
	}
}

// Files are removed only from a filesystem that this runner has mounted.
func TestFilesOfOthersAreNotRemoved(t *testing.T) {
	for _, mounted := range []string{"", "/dev/somebodys"} {
		w := newWorld(t)
		w.on["sink: own trial 3"] = func() { w.mounted = mounted }
		got, _ := w.execute(t.Context(), keptPlan(w))
		if got.Progress.State != result.StateFailed || slices.Contains(w.transcript, "remove all files") {
			t.Errorf("%q is mounted: outcome %+v", mounted, got)
		}
	}
}
