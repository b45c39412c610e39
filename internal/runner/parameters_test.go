// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
)

func TestOrderWithParameters(t *testing.T) {
	w := newWorld(t)
	p := withParameters(w, testPlan(w))
	p.Trials = p.Trials[:1]
	w.on["zpool create zfsbench"] = func() {
		want := fakeModule{
			parameters: map[string]string{"zfs_txg_timeout": "7", "zfs_arc_max": "268435456", "zfs_arc_min": "134217728",
				"l2arc_write_max": "33554432"},
			max: 256 << 20, min: 128 << 20, boot: "boot-1",
		}
		if diff := cmp.Diff(want, w.kernel, cmp.AllowUnexported(fakeModule{})); diff != "" {
			t.Errorf("the module when the pool is made (-want +got):\n%s", diff)
		}
	}
	got, _ := w.execute(t.Context(), p)
	if got.Progress.State != result.StateComplete || len(w.left()) != 0 {
		t.Fatalf("outcome %+v, left %v", got, w.left())
	}
	compareTranscript(t, w, "parameters")
	want := map[string]string{"zfs_txg_timeout": "7", "zfs_arc_max": "268435456", "zfs_arc_min": "134217728"}
	if diff := cmp.Diff(want, w.trials[0].ModuleParameters); diff != "" {
		t.Errorf("parameters of the trial (-want +got):\n%s", diff)
	}
}

// The preflight looks at the parameters, on a dry run too, and writes nothing.
func TestPreflightOfParameters(t *testing.T) {
	tests := map[string]struct {
		arrange func(*world)
		want    result.Check
	}{
		"all well": {func(*world) {}, result.Check{
			Name: "module parameters", Outcome: result.OutcomePassed,
			Message: "The node lets zfs_arc_max, zfs_arc_min, zfs_txg_timeout be set, and no pool is imported.",
		}},
		"one unknown": {func(w *world) { delete(w.kernel.parameters, "zfs_txg_timeout") }, result.Check{
			Name: "module parameters", Outcome: result.OutcomeFailed,
			Message: "The OpenZFS modules on this node have no parameter zfs_txg_timeout.",
		}},
		"somebody's pool": {func(w *world) { w.pools["tank"] = &fakePool{name: "tank", imported: true} }, result.Check{
			Name: "module parameters", Outcome: result.OutcomeFailed,
			Message: "Module parameters apply to all pools of the node, and other pools are imported: tank; export them, " +
				"or leave moduleParameters out.",
		}},
	}
	for name, tt := range tests {
		for _, dryRun := range []bool{false, true} {
			w := newWorld(t)
			p := withParameters(w, testPlan(w))
			p.DryRun = dryRun
			tt.arrange(w)
			got, _ := w.execute(t.Context(), p)
			checks := got.Progress.Preflight.Checks
			i := slices.IndexFunc(checks, func(c result.Check) bool { return c.Name == tt.want.Name })
			if i < 0 {
				t.Fatalf("%s: no such check: %+v", name, checks)
			}
			if diff := cmp.Diff(tt.want, checks[i]); diff != "" {
				t.Errorf("%s, dry run %t (-want +got):\n%s", name, dryRun, diff)
			}
			failed := got.Progress.Failure != nil && got.Progress.Failure.Reason == v1alpha1.ReasonPreflightFailed
			if failed != (tt.want.Outcome == result.OutcomeFailed) {
				t.Errorf("%s, dry run %t: failure %+v", name, dryRun, got.Progress.Failure)
			}
			written := slices.ContainsFunc(w.transcript, func(call string) bool { return strings.HasPrefix(call, "set ") })
			if wanted := !dryRun && !failed; written != wanted {
				t.Errorf("%s, dry run %t: something is set: %t", name, dryRun, written)
			}
		}
	}
}

// A pool that somebody imports after the preflight keeps the parameters from being set.
func TestForeignPoolBeforeATrial(t *testing.T) {
	w := newWorld(t)
	p := withParameters(w, testPlan(w))
	w.on["make file f0"] = func() {
		w.pools["other"] = &fakePool{name: "other", paths: []string{"/dev/disk/by-id/d9"}, imported: true}
	}
	got, _ := w.execute(t.Context(), p)
	f := got.Progress.Failure
	if f == nil || f.Reason != v1alpha1.ReasonPreflightFailed ||
		!strings.Contains(f.Message, "other pools are imported: other") {
		t.Errorf("failure %+v", f)
	}
	if left := w.left(); !slices.Equal(left, []string{"pool other"}) {
		t.Errorf("left %v", left)
	}
}

// A value that OpenZFS shows and ignores is none that may be reported, and is taken back.
func TestValueOutOfBounds(t *testing.T) {
	w := newWorld(t)
	p := withParameters(w, testPlan(w))
	p.Variants[0].ModuleParameters = v1alpha1.ModuleParameters{"zfs_arc_max": "67108864"}
	got, _ := w.execute(t.Context(), p)
	f := got.Progress.Failure
	if f == nil || f.Reason != v1alpha1.ReasonPreflightFailed ||
		!strings.Contains(f.Message, "zfs_arc_max is 67108864, but OpenZFS still uses 8589934592") {
		t.Errorf("failure %+v", f)
	}
	if left := w.left(); len(left) != 0 {
		t.Errorf("left %v", left)
	}
}

// What cannot be restored is said, with the value it has and the one it should have, and stays recorded until the
// clean-up Job restores it. All else is removed.
func TestParameterThatCannotBeRestored(t *testing.T) {
	w := newWorld(t)
	p := withParameters(w, testPlan(w))
	p.Variants[0].ModuleParameters = v1alpha1.ModuleParameters{"zfs_txg_timeout": "7", "zfs_arc_max": "1073741824"}
	w.fault = func(_ int, call string) fault {
		if call == "set zfs_txg_timeout to 5" || call == "set zfs_arc_max to 8589934592" {
			return fails
		}
		return fine
	}
	got, _ := w.execute(t.Context(), p)
	f := got.Progress.Failure
	if f == nil || f.Reason != v1alpha1.ReasonCleanupFailed {
		t.Fatalf("failure %+v", f)
	}
	for _, want := range []string{
		"could not restore the module parameters", "zfs_txg_timeout is 7, it should be 5; trouble",
		"zfs_arc_max is 0 (in effect 1073741824), it should be 0 (in effect 8589934592)",
	} {
		if !strings.Contains(strings.ToLower(f.Message), want) {
			t.Errorf("message %q lacks %q", f.Message, want)
		}
	}
	want := []string{"ownership at the sink", "parameter zfs_arc_max=0 1073741824", "parameter zfs_txg_timeout=7 ",
		"workspace"}
	if diff := cmp.Diff(want, w.left()); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
	w.fault = nil
	if again, _ := w.cleanUp(p); again.Progress.State != result.StateCleaned || len(w.left()) != 0 {
		t.Errorf("clean-up %+v, left %v", again, w.left())
	}
}

// A pool that has to stay does not keep the parameters.
func TestParametersAreRestoredThoughThePoolStays(t *testing.T) {
	w := newWorld(t)
	p := withParameters(w, testPlan(w))
	w.on["fio rw=read"] = func() { w.pools["zfsbench-0c7c9a41-0"].comment = "mine" }
	got, _ := w.execute(t.Context(), p)
	if f := got.Progress.Failure; f == nil || f.Reason != v1alpha1.ReasonCleanupFailed ||
		!strings.Contains(f.Message, "comment") {
		t.Errorf("failure %+v", f)
	}
	if changed := w.kernel.changed(); len(changed) != 0 || w.pools["zfsbench-0c7c9a41-0"] == nil {
		t.Errorf("changed %v, left %v", changed, w.left())
	}
}

// After a reboot the module has the values of the node's configuration, which may be others than those that were
// recorded.
func TestParametersAfterAReboot(t *testing.T) {
	w := newWorld(t)
	p := withParameters(w, testPlan(w))
	p.Trials = p.Trials[:1]
	w.fault = func(_ int, call string) fault {
		if call == "fio rw=read" {
			return diesAfter
		}
		return fine
	}
	if _, alive := w.execute(t.Context(), p); alive {
		t.Fatal("the runner was not killed")
	}
	w.fault = nil
	w.pools["zfsbench-0c7c9a41-0"].imported = false
	w.kernel.reboot()
	w.kernel.parameters["zfs_txg_timeout"] = "30"
	if got, _ := w.cleanUp(p); got.Progress.State != result.StateCleaned {
		t.Errorf("outcome %+v", got)
	}
	if w.kernel.parameters["zfs_txg_timeout"] != "30" {
		t.Errorf("what the node's configuration set is now %s", w.kernel.parameters["zfs_txg_timeout"])
	}
}
