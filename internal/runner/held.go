// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"sync"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/podvolume"
	"zfsbench.io/operator/internal/result"
)

// holding is the claimed volume that this runner uses, if it uses one. Whoever watches a trial looks at it meanwhile.
type holding struct {
	mu   sync.Mutex
	held podvolume.Held
}

func (h *holding) set(held podvolume.Held) {
	h.release()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.held = held
}

// release closes it: the node can then take the device away.
func (h *holding) release() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.held != nil {
		_ = h.held.Close() // it was only read from
	}
	h.held = nil
}

// check proves it again; nil if there is none.
func (h *holding) check() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.held == nil {
		return nil
	}
	return step(v1alpha1.ReasonClaimFailed, "go on with the claimed volume", h.held.Check())
}

// checkHeld proves, right before a tool starts, that the volume is the one that was found, and that the manager has not seen its pod go.
// A manager that cannot be reached keeps nothing from going on.
func (e *Engine) checkHeld(ctx context.Context, t *target) error {
	if t.claimed == nil {
		return nil
	}
	if err := e.held.check(); err != nil {
		return err
	}
	answer, err := e.Claims.Answer(ctx)
	if err != nil {
		e.Log.Warn("the manager's answer about the claimed volume cannot be read", "error", err)
		return nil
	}
	if answer == nil || !answer.Refused || answer.Request.Want != result.ClaimPresent || answer.Request.Trial != t.own.TrialIndex {
		return nil
	}
	return step(v1alpha1.ReasonClaimFailed, "go on with the claimed volume", &refusedError{answer.Message})
}
