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

// holding is the claimed volume that this runner uses, if any. The watch of the trial checks it at the same time. The
// storage behind the volume may hang, so nothing touches the volume under the lock.
type holding struct {
	mu  sync.Mutex
	now *heldVolume
}

// heldVolume is a volume with its running check, or nil if no check is running.
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

// release ends the use of the volume, if there is one, and returns a function that closes it, so that the node can
// detach its device. That function waits for a running check first: once the file descriptor is closed, its number may
// be another file's.
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
	const doing = "continue with the claimed volume"
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-check.done:
		return failure.Wrap(v1alpha1.ReasonClaimFailed, doing, check.err)
	case <-timer.C:
		err := fmt.Errorf("it has not answered for %s: the storage behind it hangs", patience)
		return failure.Wrap(v1alpha1.ReasonClaimFailed, doing, err)
	}
}

// startCheck starts a check, or returns the one that is running.
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

// CheckHeld proves, right before a tool starts, that the volume is still the same one, and that the manager has not
// reported its pod as lost. If the manager's answer cannot be read, the trial continues.
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
	return failure.Wrap(v1alpha1.ReasonClaimFailed, "continue with the claimed volume", &refusedError{answer.Message})
}
