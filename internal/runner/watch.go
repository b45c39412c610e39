// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"errors"
	"time"
)

// watched does something with what workloads run on, and ends it promptly when that is broken: what waits for it may
// never end. The error then says so.
func (e *Engine) watched(ctx context.Context, t *target, do func(context.Context) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	asItIs := *t // what do learns of it meanwhile matters not
	go e.watch(ctx, &asItIs, stop)
	if err := do(ctx); err != nil {
		return errors.Join(e.host.storage(t).broken(t), err)
	}
	return nil
}

// watch ends the context when what the workloads run on is broken.
func (e *Engine) watch(ctx context.Context, t *target, stop context.CancelCauseFunc) {
	tick := time.NewTicker(e.timings.statePoll)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := e.host.storage(t).broken(t); err != nil {
			stop(err)
			return
		}
	}
}
