// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"errors"
	"time"

	"zfsbench.io/operator/internal/runner/target"
)

// watched runs do on a target. If the target breaks, it ends do promptly, because waiting for a broken target may never
// end, and the error says what is broken.
func (e *Engine) watched(ctx context.Context, t *target.Target, do func(context.Context) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	snapshot := *t // do changes t at the same time; the watch does not need that
	go e.watch(ctx, &snapshot, stop)
	if err := do(ctx); err != nil {
		return errors.Join(e.host.Storage(t).Broken(t), err)
	}
	return nil
}

// watch ends the context when the target is broken.
func (e *Engine) watch(ctx context.Context, t *target.Target, stop context.CancelCauseFunc) {
	tick := time.NewTicker(e.timings.StatePoll)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := e.host.Storage(t).Broken(t); err != nil {
			stop(err)
			return
		}
	}
}
