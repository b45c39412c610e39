// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/runner/failure"
)

// Cleanup removes everything that the benchmark has left on the node, whatever state its runner was in. It sends the
// results that the sink does not have yet, and then reports that nothing is left.
func (e *Engine) Cleanup(ctx context.Context) Outcome {
	// A runner that cannot be killed, because it waits for a suspended pool, holds the lock until the node is rebooted.
	unlock, err := e.begin(ctx, e.timings.teardownTimeout)
	if err != nil {
		return e.conclude(ctx, failure.Wrap(v1alpha1.ReasonCleanupFailed, "begin to clean up", err))
	}
	defer unlock()
	if err := e.recoverLeftovers(ctx); err != nil {
		return e.conclude(ctx, err)
	}
	progress := e.firstProgress()
	progress.State, progress.Updated, progress.Gone = result.StateCleaned, e.Now(), e.gone
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), e.timings.reportTimeout)
	defer cancel()
	if err := e.deliver(ctx, progress); err != nil {
		return Outcome{Progress: progress, Err: err}
	}
	return Outcome{Progress: progress, Err: e.ws.Remove()}
}
