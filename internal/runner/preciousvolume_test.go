// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"fmt"
	"strings"
	"testing"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
)

// twoVolumesPlan measures two volumes of somebody else's StorageClass, one after the other.
func twoVolumesPlan(w *world) plan.Plan {
	p := classPlan(w)
	p.FreshPool = v1alpha1.FreshPoolPerVariant
	p.Trials = append(p.Trials, plan.Trial{Index: 1, Variant: "nfs", Repetition: 2})
	return p
}

// secondIsPrecious has the second claim get a volume that holds data.
func secondIsPrecious(w *world) {
	w.on["ask for the volume of trial 1 to be Present"] = func() { w.precious = "db" }
}

// preciousVolumes are plans, with when their claims get a volume that holds data. unprovision complains when it goes.
var preciousVolumes = map[string]struct {
	planFor func(*world) plan.Plan
	arrange func(*world)
}{
	"filesystem":        {classPlan, func(w *world) { w.precious = "db" }},
	"block":             {blockClassPlan, func(w *world) { w.precious = "db" }},
	"second repetition": {twoVolumesPlan, secondIsPrecious},
}

// Whatever goes wrong at whichever call: the claim of a volume that holds data is removed only if the volume stays.
func TestPreciousVolumeOutlivesItsClaim(t *testing.T) {
	for name, of := range preciousVolumes {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			of.arrange(w)
			w.execute(t.Context(), of.planFor(w))
			if left := w.left(); w.kept != "db" || len(left) > 0 {
				t.Fatalf("kept %q, left %v", w.kept, left)
			}
			for n, call := range w.transcript {
				for _, kind := range []fault{fails, failsAfter, diesBefore, diesAfter} {
					t.Run(fmt.Sprintf("%d %s, kind %d", n, call, kind), func(t *testing.T) {
						t.Parallel()
						w := newWorld(t)
						of.arrange(w)
						w.fault = onCall(n, kind)
						w.execute(t.Context(), of.planFor(w))
						w.fault = nil
						got, _ := w.cleanUp(of.planFor(w))
						if left := w.left(); got.Progress.State != result.StateCleaned || len(left) > 0 {
							t.Errorf("clean-up: outcome %+v, failure %+v, left %v after\n%s",
								got, got.Progress.Failure, left, strings.Join(w.transcript, "\n"))
						}
					})
				}
			}
		})
	}
}

// A new volume that cannot be mounted was not looked into: it stays, and the failure names it and says what to do.
func TestVolumeThatCannotBeMountedStays(t *testing.T) {
	w := newWorld(t)
	w.precious = "db"
	w.fault = func(_ int, call string) fault {
		if strings.HasPrefix(call, "attach") {
			return fails
		}
		return fine
	}
	got, _ := w.execute(t.Context(), classPlan(w))
	wantStays(t, w, got)
}

// A pod that never runs with the volume: nobody knows what is in it.
func TestVolumeWithoutAPodStays(t *testing.T) {
	w := newWorld(t)
	p := classPlan(w)
	w.precious, w.stuck = "db", "Waiting for pod zb-1 to run with the volume."
	w.on["read the answer"] = func() {
		if w.asked.Want == result.ClaimPresent {
			w.volume = "nfs/pvc"
		}
	}
	w.on["ask for the volume of trial 0 to be Kept"] = func() { w.stuck = "" }
	got, _ := w.execute(t.Context(), p)
	wantStays(t, w, got)
}

func wantStays(t *testing.T, w *world, got Outcome) {
	t.Helper()
	f := got.Progress.Failure
	if f == nil || f.Reason != v1alpha1.ReasonClaimFailed {
		t.Fatalf("outcome %+v, failure %+v", got, f)
	}
	for _, want := range []string{"PersistentVolume pvc, which stays", "kubectl describe persistentvolume pvc"} {
		if !strings.Contains(f.Message, want) {
			t.Errorf("message %q, want %q", f.Message, want)
		}
	}
	if left := w.left(); w.kept != "db" || len(left) > 0 {
		t.Errorf("kept %q, left %v", w.kept, left)
	}
}

// Somebody exchanges the claim while its pod is away: nobody has looked into the volume of the new one.
func TestExchangedVolumeStays(t *testing.T) {
	w := newWorld(t)
	w.on["ask for the volume of trial 0 to be Detached"] = func() {
		w.on["ask for the volume of trial 0 to be Present"] = func() { w.volume, w.precious = "nfs/another", "db" }
	}
	got, _ := w.execute(t.Context(), classPlan(w))
	if f := got.Progress.Failure; f == nil || !strings.Contains(f.Message, "it is now PersistentVolume") {
		t.Errorf("failure %+v", f)
	}
	if left := w.left(); w.kept != "db" || len(left) > 0 {
		t.Errorf("kept %q, left %v", w.kept, left)
	}
}

// A claim that got no volume goes, and there is nothing to keep.
func TestClaimWithoutAVolumeGoes(t *testing.T) {
	w := newWorld(t)
	w.fault = func(_ int, call string) fault {
		if strings.HasSuffix(call, "to be Present") {
			return fails
		}
		return fine
	}
	got, _ := w.execute(t.Context(), classPlan(w))
	f := got.Progress.Failure
	if f == nil || f.Reason != v1alpha1.ReasonClaimFailed || strings.Contains(f.Message, "stays") {
		t.Errorf("failure %+v", f)
	}
	if left := w.left(); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}
