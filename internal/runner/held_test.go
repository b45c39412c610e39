// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"strings"
	"testing"
	"time"

	"zfsbench.io/operator/api/v1alpha1"
)

// What a claimed volume is on hangs between two workloads: the trial fails in time, and the report says what hangs.
func TestTrialOnHungVolumeEnds(t *testing.T) {
	w := newWorld(t)
	p := blockClassPlan(w)
	w.on["fio rw=write"] = func() { w.heldHangs = true }
	got, _ := w.work(func() Outcome {
		e := w.engine(p)
		e.timings.StatePoll, e.timings.teardownTimeout = time.Millisecond, time.Second
		return e.Execute(t.Context())
	})
	f := got.Progress.Failure
	const want = "detach the claimed volume"
	if f == nil || f.Reason != v1alpha1.ReasonCleanupFailed || !strings.Contains(f.Message, want) {
		t.Errorf("failure %+v", f)
	}
	trial := w.trials[0]
	if trial.Failure == nil || !strings.Contains(trial.Failure.Message, "has not answered") {
		t.Errorf("trial failure %+v", trial.Failure)
	}
}

// A device that opens only after its runner has given up is closed again: nothing may hold it when it is removed.
func TestDeviceThatOpensTooLateIsClosed(t *testing.T) {
	w := newWorld(t)
	p := blockClassPlan(w)
	w.opens = make(chan struct{})
	w.closed = make(chan struct{})
	got, _ := w.work(func() Outcome {
		e := w.engine(p)
		e.timings.ClaimPatience = 20 * time.Millisecond
		return e.Execute(t.Context())
	})
	f := got.Progress.Failure
	if f == nil || f.Reason != v1alpha1.ReasonClaimFailed || !strings.Contains(f.Message, "does not return") {
		t.Errorf("failure %+v", f)
	}
	close(w.opens)
	within(t, "the device that is open", func() { <-w.closed })
}

// within fails the test if something takes much longer than it is allowed to.
func within(t *testing.T, what string, do func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); do() }()
	select {
	case <-done:
	case <-time.After(time.Minute): // only what hangs takes so long, on whatever machine
		t.Fatalf("%s hangs", what)
	}
}
