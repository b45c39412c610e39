// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
)

// nextPlan is of another benchmark on the same node.
func nextPlan(w *world) plan.Plan {
	p := testPlan(w)
	p.Benchmark = plan.Benchmark{Namespace: "team", Name: "next", UID: "7b7b1c64-1111-4222-8333-444455556666"}
	return p
}

// clearOthers has a runner of the next benchmark look for what is left, after the API has lost all objects of the
// first.
func (w *world) clearOthers() error {
	w.t.Helper()
	w.ownership, w.fault, w.sinkLost = nil, nil, true
	_ = os.Remove(filepath.Join(w.scratch, "lock")) // it went with the process
	e := w.engine(nextPlan(w))
	e.OwnsNode = true
	unlock, err := e.begin(w.t.Context(), e.timings.teardownTimeout)
	if err != nil {
		w.t.Fatal(err)
	}
	defer unlock()
	return e.clearOthers(w.t.Context())
}

// Wherever a runner was killed whose benchmark then vanished from the API, the next one on the node removes what it
// owned, by its journal.
func TestNextRunnerClearsWhatOthersLeft(t *testing.T) {
	plans := map[string]func(*world) plan.Plan{
		"pool": testPlan, "baseline": baselinePlan, "md array": arrayPlan,
		"parameters": func(w *world) plan.Plan { return withParameters(w, testPlan(w)) },
	}
	for name, planFor := range plans {
		t.Run(name, func(t *testing.T) {
			everyCallOf(t, func(*world) {}, planFor, 1, []fault{diesAfter}, func(t *testing.T, w *world, p plan.Plan) {
				if _, alive := w.execute(t.Context(), p); alive {
					t.Fatal("the runner was not killed")
				}
				if err := w.clearOthers(); err != nil {
					t.Fatal(err)
				}
				for _, left := range w.left() {
					if left != "workspace" { // a journal that owns nothing stays: it may belong to a suspended benchmark
						t.Errorf("left %s after\n%s", left, strings.Join(w.transcript, "\n"))
					}
				}
			})
		})
	}
}

// Of what others have claimed, the next runner removes the pool if the driver's volume in it is recorded, and asks the
// manager for nothing: a runner can only ask about its own plan.
func TestNextRunnerLeavesClaimsToTheManager(t *testing.T) {
	tests := map[string]struct {
		planFor func(*world) plan.Plan
		dies    string
		want    string
	}{
		"recorded volume":           {claimPlan, "fio rw=write", ""},
		"volume of a kept pool":     {keptClaimPlan, "fio rw=read", ""},
		"volume not recorded":       {claimPlan, "read the answer", "/bench/pvc-0, which this benchmark did not make"},
		"volume of a class":         {classPlan, "fio rw=write", ""},
		"class, not looked into":    {classPlan, "is it empty?", ""},
		"class, not claimed so far": {classPlan, "ask for the volume", ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.fault = func(_ int, call string) fault {
				if strings.HasPrefix(call, tt.dies) {
					return diesBefore
				}
				return fine
			}
			if _, alive := w.execute(t.Context(), tt.planFor(w)); alive {
				t.Fatal("the runner was not killed")
			}
			w.hasPod = false // it ended with its objects
			volume, before := w.volume, len(w.transcript)
			err := w.clearOthers()
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Fatalf("error %v, want %q", err, tt.want)
			}
			for _, call := range w.transcript[before:] {
				if strings.HasPrefix(call, "ask for") {
					t.Error(call)
				}
			}
			for _, left := range w.left() {
				if tt.want == "" && left != "claimed volume "+volume {
					t.Errorf("left %s", left)
				}
			}
			if tt.want != "" && w.pools["zfsbench-0c7c9a41-0"] == nil {
				t.Error("the pool is gone")
			}
		})
	}
}

// What is not provably the other benchmark's ends the next one before it touches anything; so does a journal that
// cannot be read.
func TestNextRunnerRefusesWhatItCannotClear(t *testing.T) {
	const pool = "zfsbench-0c7c9a41-0"
	tests := map[string]struct {
		change func(*world)
		want   string
	}{
		"another dataset": {func(w *world) { w.pools[pool].datasets = append(w.pools[pool].datasets, pool+"/precious") },
			"precious"},
		"a disk exchanged": {func(w *world) { w.disks["/dev/disk/by-id/d1"].diskGUID = "other" }, "not ours"},
		"journal torn": {func(w *world) {
			state := filepath.Join(w.scratch, testUID, "journal", "state.json")
			if err := os.WriteFile(state, []byte("{"), 0o600); err != nil {
				w.t.Error(err)
			}
		}, "cannot be read"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.fault = func(_ int, call string) fault {
				if strings.HasPrefix(call, "fio rw=read") {
					return diesBefore
				}
				return fine
			}
			if _, alive := w.execute(t.Context(), testPlan(w)); alive {
				t.Fatal("the runner was not killed")
			}
			tt.change(w)
			err := w.clearOthers()
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), testUID) {
				t.Fatalf("error %v, want %q", err, tt.want)
			}
			if f := failureOf(err); f.Reason != v1alpha1.ReasonPreflightFailed {
				t.Errorf("failure %+v", f)
			}
			if w.pools[pool] == nil || *w.disks["/dev/disk/by-id/d0"] == (fakeDisk{}) {
				t.Errorf("touched: left is only %v", w.left())
			}
		})
	}
}

// A runner that the manager has not given the node, as one by hand, leaves other benchmarks alone, and so does a dry
// run.
func TestOthersAreLeftAlone(t *testing.T) {
	tests := map[string]func(*Engine){
		"by hand": func(e *Engine) { e.OwnsNode = false },
		"dry run": func(e *Engine) { e.plan.DryRun = true },
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			e := w.engine(nextPlan(w))
			e.OwnsNode = true
			change(e)
			e.ws.Scratch = filepath.Join(w.scratch, "does", "not", "exist")
			if err := e.clearOthers(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}
