// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"zfsbench.io/operator/api/v1alpha1"
)

// hungHeld is a volume on storage that answers only when its channel is closed.
type hungHeld struct{ until chan struct{} }

func (h hungHeld) Check() error { <-h.until; return nil }

func (h hungHeld) Close() error { <-h.until; return nil }

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

// A backend that hangs holds up neither who checks a volume nor who releases it, nor the next volume.
func TestHungVolumeHoldsNobodyUp(t *testing.T) {
	hung := hungHeld{until: make(chan struct{})}
	defer close(hung.until)
	h := &holding{}
	h.set(hung)
	for range 2 { // the watcher and the report ask one after the other
		within(t, "the check", func() {
			err := h.check(time.Millisecond)
			if err == nil || !strings.Contains(err.Error(), "has not answered") {
				t.Errorf("error %v", err)
				return
			}
			if f := failureOf(err); f.Reason != v1alpha1.ReasonClaimFailed {
				t.Errorf("failure %+v", f)
			}
		})
	}
	release := h.release()
	if err := h.check(time.Hour); err != nil {
		t.Errorf("nothing is held any more: %v", err)
	}
	within(t, "letting go", func() {
		e := &host{timings: timings{kernelPatience: time.Millisecond}}
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Millisecond, errors.New("enough"))
		defer cancel()
		if err := e.bounded(ctx, release); err == nil || !strings.Contains(err.Error(), "does not return") {
			t.Errorf("error %v", err)
		}
	})
	well := hungHeld{until: make(chan struct{})}
	close(well.until)
	h.set(well)
	if err := h.check(time.Hour); err != nil {
		t.Errorf("the next volume: %v", err)
	}
}

// What a claimed volume is on hangs between two workloads: the trial fails in time, and the report says what hangs.
func TestTrialOnHungVolumeEnds(t *testing.T) {
	w := newWorld(t)
	p := blockClassPlan(w)
	w.on["fio rw=write"] = func() { w.heldHangs = true }
	got, _ := w.execute(t.Context(), p)
	f := got.Progress.Failure
	const want = "let go of the claimed volume"
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
		e.timings.claimPatience = 20 * time.Millisecond
		return e.Execute(t.Context())
	})
	f := got.Progress.Failure
	if f == nil || f.Reason != v1alpha1.ReasonClaimFailed || !strings.Contains(f.Message, "does not return") {
		t.Errorf("failure %+v", f)
	}
	close(w.opens)
	within(t, "the device that is open", func() { <-w.closed })
}
