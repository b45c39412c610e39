// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/runner/journal"
	"zfsbench.io/operator/internal/storage/zfs"
)

// failsAtFirst makes writing fail until the journal has an excluded attempt.
func failsAtFirst(w *world) {
	good := w.fioOutput["rw=write"]
	w.fioOutput["rw=write"] = "fio-3.39-write-enospc.json"
	w.on[""] = func() {
		j, err := journal.Open(filepath.Join(w.scratch, testUID, "journal"), "", begin)
		if err != nil {
			return
		}
		if _, attempts := j.ExcludedTrial(); attempts != nil {
			w.fioOutput["rw=write"] = good
		}
	}
}

func TestTrialIsRunAgain(t *testing.T) {
	w := newWorld(t)
	failsAtFirst(w)
	got, _ := w.execute(t.Context(), testPlan(w))
	if got.Progress.State != result.StateComplete || got.Progress.Completed != 2 || got.Progress.Failed != 0 ||
		len(w.left()) != 0 {
		t.Fatalf("outcome %+v, left %v", got, w.left())
	}
	compareTranscript(t, w, "rerun")
	trial := w.trials[0]
	if len(trial.Excluded) != 1 || len(trial.Samples) != 2 || len(w.trials[1].Excluded) != 0 {
		t.Fatalf("trial %+v", trial)
	}
	attempt := trial.Excluded[0]
	if attempt.Failure.Reason != v1alpha1.ReasonWorkloadFailed || attempt.Failure.Tail == "" ||
		!attempt.Started.Before(attempt.Finished) || !attempt.Finished.Before(trial.Started) {
		t.Errorf("attempt %+v", attempt)
	}
}

// A sample that was taken while something was wrong with the pool counts for nothing, but what it said is kept.
func TestDisturbedSampleIsExcluded(t *testing.T) {
	w := newWorld(t)
	w.on["zpool status"] = func() {
		w.status = &zfs.Status{State: "ONLINE",
			Active: []string{"scrub in progress since today"}}
	}
	w.on["fio rw=read"] = func() { t.Error("the next workload runs all the same") }
	got, _ := w.execute(t.Context(), testPlan(w))
	if f := got.Progress.Failure; f == nil || f.Reason != v1alpha1.ReasonPoolBusy ||
		!strings.Contains(f.Message, "scrub in progress since today") {
		t.Errorf("failure %+v", f)
	}
	trial := w.trials[0]
	if len(trial.Samples) != 0 || len(trial.Excluded) != result.MaxExcluded {
		t.Fatalf("trial %+v", trial)
	}
	b := trial.Excluded[0].Bandwidths
	if len(b) != 1 || b[0].Workload != "write" || b[0].WriteBytesPerSecond == 0 || b[0].ReadBytesPerSecond != 0 {
		t.Errorf("bandwidths %+v", b)
	}
}

// A runner that is killed anywhere neither loses an excluded attempt nor counts it twice.
func TestKilledAnywhereAroundARerun(t *testing.T) {
	everyCallAfter(t, failsAtFirst, 1, []fault{diesBefore, diesAfter}, func(t *testing.T, w *world, p plan.Plan) {
		completesAfterKill(t, w, p, func() {})
		if len(w.trials[0].Excluded) != 1 {
			t.Errorf("excluded %+v", w.trials[0].Excluded)
		}
	})
}

// What was excluded is in the results also when the benchmark ends before the trial could be run again.
func TestNoTimeForARerun(t *testing.T) {
	w := newWorld(t)
	failsAtFirst(w)
	w.on["sink: own nothing"] = func() { w.refuse["d1"] = errFault }
	got, _ := w.execute(t.Context(), testPlan(w))
	if f := got.Progress.Failure; f == nil || f.Reason != v1alpha1.ReasonDeviceRefused || got.Progress.Failed != 1 ||
		!got.Final() || len(w.left()) != 0 {
		t.Errorf("outcome %+v, failure %+v, left %v", got, f, w.left())
	}
	if f := w.trials[0].Failure; f == nil || f.Reason != v1alpha1.ReasonWorkloadFailed || len(w.trials) != 1 {
		t.Errorf("trials %+v", w.trials)
	}
}

// A suspended benchmark goes on with what has been excluded before.
func TestSuspendedBeforeARerun(t *testing.T) {
	w := newWorld(t)
	failsAtFirst(w)
	w.on["sink: own nothing"] = func() { w.suspend = true }
	if got, _ := w.execute(t.Context(), testPlan(w)); got.Progress.State != result.StateSuspended ||
		got.Progress.Completed+got.Progress.Failed != 0 {
		t.Fatalf("outcome %+v", got)
	}
	w.suspend, w.on = false, map[string]func(){}
	w.fioOutput["rw=write"] = "fio-3.39-write.json"
	got, _ := w.execute(t.Context(), testPlan(w))
	excluded := []int{len(w.trials[0].Excluded), len(w.trials[1].Excluded)}
	if diff := cmp.Diff([]int{1, 0}, excluded); got.Progress.State != result.StateComplete || diff != "" {
		t.Errorf("outcome %+v, excluded (-want +got):\n%s", got, diff)
	}
}
