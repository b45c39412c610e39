// SPDX-License-Identifier: Apache-2.0

package target

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/runner/failure"
)

// hungHeld is a volume on storage that answers only when its channel is closed.
type hungHeld struct{ until chan struct{} }

func (h hungHeld) Check() error { <-h.until; return nil }

func (h hungHeld) Close() error { <-h.until; return nil }

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
			if reason := failure.Reason(err, ""); reason != v1alpha1.ReasonClaimFailed {
				t.Errorf("reason %s", reason)
			}
		})
	}
	release := h.release()
	if err := h.check(time.Hour); err != nil {
		t.Errorf("nothing is held any more: %v", err)
	}
	within(t, "letting go", func() {
		e := &Host{Timings: Timings{KernelPatience: time.Millisecond}}
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Millisecond, errors.New("enough"))
		defer cancel()
		if err := e.Bounded(ctx, release); err == nil || !strings.Contains(err.Error(), "does not return") {
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
