// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
)

// everyCall runs a test for each call that a plan of so many trials makes, with each kind of fault there; and for
// each of one trial with module parameters, of one on a volume's filesystem, of two on a kept pool, and of a trial on
// each kind of baseline, on disks and on md arrays.
func everyCall(t *testing.T, trials int, kinds []fault, test func(t *testing.T, w *world, p plan.Plan)) {
	t.Helper()
	everyCallAfter(t, func(*world) {}, trials, kinds, test)
}

// everyCallAfter does so in a world that has been arranged.
func everyCallAfter(t *testing.T, arrange func(*world), trials int, kinds []fault,
	test func(t *testing.T, w *world, p plan.Plan)) {
	t.Helper()
	t.Run("plain", func(t *testing.T) { everyCallOf(t, arrange, testPlan, trials, kinds, test) })
	t.Run("with parameters", func(t *testing.T) {
		everyCallOf(t, arrange, func(w *world) plan.Plan { return withParameters(w, testPlan(w)) }, 1, kinds, test)
	})
	t.Run("on a volume's filesystem", func(t *testing.T) { everyCallOf(t, arrange, volumeFilesystemPlan, 1, kinds, test) })
	t.Run("on kept pools", func(t *testing.T) {
		everyCallOf(t, arrange, keptPlan, 2, kinds, test)
		everyCallOf(t, arrange, keptBaselinePlan, 2, kinds, test)
	})
	t.Run("of baselines", func(t *testing.T) { everyCallOf(t, arrange, baselinePlan, 2, kinds, test) })
	t.Run("on claims", func(t *testing.T) {
		everyCallOf(t, arrange, claimPlan, 1, kinds, test)
		everyCallOf(t, arrange, keptClaimPlan, 2, kinds, test)
		everyCallOf(t, arrange, classPlan, 1, kinds, test)
	})
	t.Run("of md arrays", func(t *testing.T) { everyCallOf(t, arrange, arrayPlan, 1, kinds, test) })
}

func everyCallOf(t *testing.T, arrange func(*world), planFor func(*world) plan.Plan, trials int, kinds []fault,
	test func(t *testing.T, w *world, p plan.Plan)) {
	t.Helper()
	callsOf(t, func(string) bool { return true }, arrange, planFor, trials, kinds, test)
}

// callsOf does so for some of the calls only.
func callsOf(t *testing.T, which func(call string) bool, arrange func(*world), planFor func(*world) plan.Plan,
	trials int, kinds []fault, test func(t *testing.T, w *world, p plan.Plan)) {
	t.Helper()
	w := newWorld(t)
	arrange(w)
	p := planFor(w)
	p.Trials = p.Trials[:trials]
	if got, _ := w.execute(t.Context(), p); got.Progress.State != result.StateComplete {
		t.Fatalf("outcome %+v", got)
	}
	for n, call := range w.transcript {
		if !which(call) {
			continue
		}
		for _, kind := range kinds {
			t.Run(fmt.Sprintf("%d %s, kind %d", n, call, kind), func(t *testing.T) {
				t.Parallel() // most of the time goes into waiting for the journal's disk
				w := newWorld(t)
				arrange(w)
				p := planFor(w)
				p.Trials = p.Trials[:trials]
				w.fault = onCall(n, kind)
				test(t, w, p)
			})
		}
	}
}

// onCall injects a fault once, at the n-th call.
func onCall(n int, kind fault) func(int, string) fault {
	return func(i int, _ string) fault {
		if i == n {
			return kind
		}
		return fine
	}
}

// A runner that is killed anywhere leaves everything its successor needs: the plan ends complete, no trial is measured
// after its result was recorded, and nothing is left.
func TestKilledAnywhere(t *testing.T) {
	everyCall(t, 2, []fault{diesBefore, diesAfter}, func(t *testing.T, w *world,
		p plan.Plan) {
		completesAfterKill(t, w, p, func() {})
	})
}

// completesAfterKill wants the runner of a world with a fault to be killed, and the next one to complete the plan and
// leave nothing, whatever happens to the node between them.
func completesAfterKill(t *testing.T, w *world, p plan.Plan, between func()) {
	t.Helper()
	if _, alive := w.execute(t.Context(), p); alive {
		t.Fatal("the runner was not killed")
	}
	w.fault = nil
	between()
	got, _ := w.execute(t.Context(), p)
	if got.Progress.State != result.StateComplete || got.Progress.Completed != len(p.Trials) ||
		len(w.trials) != len(p.Trials) {
		t.Errorf("outcome %+v, failure %+v", got, got.Progress.Failure)
	}
	if left := w.left(); len(left) != 0 {
		t.Errorf("left %v after\n%s", left, strings.Join(w.transcript, "\n"))
	}
}

// The clean-up Job leaves nothing, wherever the runner was killed.
func TestCleanUpAfterKilledAnywhere(t *testing.T) {
	everyCall(t, 1, []fault{diesAfter}, func(t *testing.T, w *world, p plan.Plan) {
		w.execute(t.Context(), p)
		w.fault = nil
		got, _ := w.cleanUp(p)
		if got.Progress.State != result.StateCleaned || !got.Final() {
			t.Errorf("outcome %+v, failure %+v", got, got.Progress.Failure)
		}
		if left := w.left(); len(left) != 0 {
			t.Errorf("left %v", left)
		}
	})
}

// Whatever fails once: either nothing is left, or the report says CleanupFailed, the record stays, and the clean-up Job
// removes the rest.
func TestFailureAnywhere(t *testing.T) {
	everyCall(t, 1, []fault{fails, failsAfter}, func(t *testing.T, w *world, p plan.Plan) {
		got, _ := w.execute(t.Context(), p)
		if got.Progress.State == result.StateFailed && got.Progress.Failure == nil {
			t.Errorf("no reason in %+v", got.Progress)
		}
		left := w.left()
		if len(left) == 0 {
			return
		}
		if !explained(got, left) {
			t.Errorf("outcome %+v, failure %+v, left %v", got, got.Progress.Failure, left)
		}
		w.fault = nil
		if again, _ := w.cleanUp(p); again.Progress.State != result.StateCleaned || len(w.left()) != 0 {
			t.Errorf("clean-up %+v, left %v", again, w.left())
		}
	})
}

// explained says whether an outcome says that something is left, and the record is there for the next runner.
func explained(got Outcome, left []string) bool {
	f := got.Progress.Failure
	return f != nil && f.Reason == v1alpha1.ReasonCleanupFailed && slices.Contains(left, "workspace") &&
		slices.Contains(left, "ownership at the sink")
}

// What is not provably the benchmark's own is not touched, and the record stays.
func TestForeignThingsAreNotTouched(t *testing.T) {
	const pool = "zfsbench-0c7c9a41-0"
	tests := map[string]struct {
		change func(*world)
		want   string
	}{
		"another GUID":    {func(w *world) { w.pools[pool].guid = "4711" }, "GUID"},
		"another comment": {func(w *world) { w.pools[pool].comment = "mine" }, "comment"},
		"another owner":   {func(w *world) { w.pools[pool].owner = "me" }, "owner"},
		"another device":  {func(w *world) { w.pools[pool].paths = append(w.pools[pool].paths, "/dev/sdz") }, "/dev/sdz"},
		"no known device": {func(w *world) { w.pools[pool].paths = nil }, "not known"},
		"another dataset": {func(w *world) { w.pools[pool].datasets = append(w.pools[pool].datasets, pool+"/precious") },
			"precious"},
		"a snapshot": {func(w *world) { w.pools[pool].datasets = append(w.pools[pool].datasets, pool+"@precious") },
			"precious"},
		"a disk exchanged": {func(w *world) { w.disks["/dev/disk/by-id/d1"].diskGUID = "other" }, "not ours"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.on["fio rw=read"] = func() { test.change(w) }
			got, _ := w.execute(t.Context(), testPlan(w))
			f := got.Progress.Failure
			if f == nil || f.Reason != v1alpha1.ReasonCleanupFailed || !strings.Contains(f.Message, test.want) ||
				!strings.Contains(f.Message, pool) {
				t.Errorf("failure %+v", f)
			}
			if w.pools[pool] == nil || *w.disks["/dev/disk/by-id/d0"] == (fakeDisk{}) || len(w.files) != 1 ||
				w.ownership == nil {
				t.Errorf("touched: left is only %v", w.left())
			}
			if _, done := w.trials[0]; !done || len(w.trials) != 1 {
				t.Errorf("trials %v", w.trials)
			}
		})
	}
}

// A pool that somebody made a dataset in is not even exported to empty the cache: that would unmount it.
func TestForeignDatasetKeepsItsMount(t *testing.T) {
	const pool = "zfsbench-0c7c9a41-0"
	w := newWorld(t)
	w.on["fio create_only"] = func() { w.pools[pool].datasets = append(w.pools[pool].datasets, pool+"/precious") }
	got, _ := w.execute(t.Context(), testPlan(w))
	if f := got.Progress.Failure; f == nil || f.Reason != v1alpha1.ReasonCleanupFailed ||
		!strings.Contains(f.Message, "precious") {
		t.Errorf("failure %+v", f)
	}
	if slices.Contains(w.transcript, "zpool export "+pool) || !w.pools[pool].imported {
		t.Errorf("the pool was exported:\n%s", strings.Join(w.transcript, "\n"))
	}
}

// A dataset that somebody makes at the last moment, when the pool has been looked at and is about to be exported, keeps
// the pool.
func TestDatasetAddedAtTheLastMoment(t *testing.T) {
	const pool = "zfsbench-0c7c9a41-0"
	w := newWorld(t)
	looked := false
	w.on["zfs list "+pool] = func() { looked = true }
	w.on["zpool export "+pool] = func() {
		if looked && w.pools[pool].imported && !w.pools[pool].readOnly {
			w.pools[pool].datasets = append(w.pools[pool].datasets, pool+"/precious")
		}
	}
	got, _ := w.execute(t.Context(), testPlan(w))
	f := got.Progress.Failure
	if f == nil || f.Reason != v1alpha1.ReasonCleanupFailed || !strings.Contains(f.Message, "precious") {
		t.Errorf("failure %+v", f)
	}
	if p := w.pools[pool]; p == nil || !p.imported || p.readOnly || len(w.files) != 1 || w.ownership == nil {
		t.Errorf("pool %+v, left %v", p, w.left())
	}
	// Its owner takes it out, and the clean-up goes on.
	w.on, w.pools[pool].datasets = map[string]func(){}, w.pools[pool].datasets[:2]
	if again, _ := w.cleanUp(testPlan(w)); again.Progress.State != result.StateCleaned || len(w.left()) != 0 {
		t.Errorf("clean-up %+v, left %v", again, w.left())
	}
}

// A record of what is owned that names another benchmark, or a file outside of the workspace, makes nobody remove
// anything.
func TestForeignRecords(t *testing.T) {
	tests := map[string]func(*result.Ownership){
		"another benchmark": func(o *result.Ownership) { o.BenchmarkUID = "another" },
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			own := result.Ownership{BenchmarkUID: testUID, PoolName: "tank", PoolComment: "not ours", PoolGUID: "1"}
			change(&own)
			w.ownership = &own
			got, _ := w.execute(t.Context(), testPlan(w))
			if f := got.Progress.Failure; f == nil || f.Reason != v1alpha1.ReasonCleanupFailed || w.pools["tank"] == nil {
				t.Errorf("failure %+v", f)
			}
		})
	}
}
