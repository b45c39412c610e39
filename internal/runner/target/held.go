// SPDX-License-Identifier: Apache-2.0

package target

import (
	"context"
	"fmt"
	"sync"
	"time"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/runner/failure"
	"zfsbench.io/operator/internal/storage/csi/podvolume"
)

// holding is the claimed volume that this runner uses, if it uses one. Whoever watches a trial looks at it meanwhile.
// What the volume is on may hang, so nothing is done to it under the lock.
type holding struct {
	mu  sync.Mutex
	now *heldVolume
}

// heldVolume is a volume with the check of it that is under way, nil if there is none.
type heldVolume struct {
	podvolume.Held
	check *heldCheck
}

// heldCheck has its result when it is done.
type heldCheck struct {
	done chan struct{}
	err  error
}

func (h *holding) set(held podvolume.Held) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now = &heldVolume{Held: held}
}

// release ends the use of the volume, if there is one, and returns a function that closes it, so that the node can take
// its device away. That waits for a check that is under way: the number of a closed descriptor may mean another file.
func (h *holding) release() (release func() error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	taken := h.now
	h.now = nil
	if taken == nil {
		return func() error { return nil }
	}
	check := taken.check
	return func() error {
		if check != nil {
			<-check.done
		}
		_ = taken.Close() // it was only read from
		return nil
	}
}

// check proves the volume again; nil if there is none. One that does not answer in time counts as lost.
func (h *holding) check(patience time.Duration) error {
	check := h.startCheck()
	if check == nil {
		return nil
	}
	const doing = "go on with the claimed volume"
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-check.done:
		return failure.Wrap(v1alpha1.ReasonClaimFailed, doing, check.err)
	case <-timer.C:
		err := fmt.Errorf("it has not answered for %s: what it is on hangs", patience)
		return failure.Wrap(v1alpha1.ReasonClaimFailed, doing, err)
	}
}

// startCheck starts a check, or returns the one that is under way.
func (h *holding) startCheck() *heldCheck {
	h.mu.Lock()
	defer h.mu.Unlock()
	volume := h.now
	switch {
	case volume == nil:
		return nil
	case volume.check != nil:
		return volume.check
	}
	check := &heldCheck{done: make(chan struct{})}
	volume.check = check
	go func() {
		check.err = volume.Check()
		h.mu.Lock()
		volume.check = nil
		h.mu.Unlock()
		close(check.done)
	}()
	return check
}

// CheckHeld proves, right before a tool starts, that the volume is the one that was found, and that the manager has not
// seen its pod go. If the manager cannot be reached, the trial goes on.
func (h *Host) CheckHeld(ctx context.Context, t *Target) error {
	if t.Claimed == nil {
		return nil
	}
	if err := h.held.check(h.Timings.KernelPatience); err != nil {
		return err
	}
	answer, err := h.Claims.Answer(ctx)
	if err != nil {
		h.Log.Warn("the manager's answer about the claimed volume cannot be read", "error", err)
		return nil
	}
	if answer == nil || !answer.Refused || answer.Request.Want != result.ClaimPresent ||
		answer.Request.Trial != t.Own.TrialIndex {
		return nil
	}
	return failure.Wrap(v1alpha1.ReasonClaimFailed, "go on with the claimed volume", &refusedError{answer.Message})
}
