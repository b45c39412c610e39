// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"errors"
	"time"

	"zfsbench.io/operator/internal/runner/target"
)

// watched does something with what workloads run on, and ends it promptly when that is broken: what waits for it may
// never end. The error then says so.
func (e *Engine) watched(ctx context.Context, t *target.Target, do func(context.Context) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	asItIs := *t // what do learns of it meanwhile matters not
	go e.watch(ctx, &asItIs, stop)
	if err := do(ctx); err != nil {
		return errors.Join(e.host.Storage(t).Broken(t), err)
	}
	return nil
}

// watch ends the context when what the workloads run on is broken.
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
