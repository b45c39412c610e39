// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"

	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/runner/workspace"
)

// lock takes the locks that a runner works under: the node's, then the scratch directory's, which is all that
// runners of older versions take. While another runner has one of them, the progress says so.
func (e *Engine) lock(ctx context.Context) (unlock func(), err error) {
	w := &waiter{Engine: e}
	node := func() {}
	if e.NodeLock != "" {
		if node, err = workspace.Lock(ctx, e.NodeLock, e.who(), func(holder string) { w.report(ctx, holder) }); err != nil {
			return nil, err
		}
	}
	scratch, err := workspace.Lock(ctx, e.ws.Lock(), e.who(), func(holder string) { w.report(ctx, holder) })
	if err != nil {
		node()
		return nil, err
	}
	w.begun(ctx)
	return func() { scratch(); node() }, nil
}

// who names the benchmark to other runners.
func (e *Engine) who() string {
	return e.plan.Benchmark.Namespace + "/" + e.plan.Benchmark.Name + " (UID " + e.plan.Benchmark.UID + ")"
}

// waiter reports that a runner waits.
type waiter struct {
	*Engine
	logged, reported string
}

// report publishes whom the runner waits for, once. What it cannot publish it tries again at the next look.
func (w *waiter) report(ctx context.Context, holder string) {
	text := "another runner on this node to end"
	if holder != "" {
		text += ", that of " + holder
	}
	if w.logged != text {
		w.logged = text
		w.Log.Info("waiting for " + text)
	}
	// A runner of this very plan, which is about to end, writes reports of its own.
	if w.reported == text || holder == w.who() {
		return
	}
	if err := w.publish(ctx, text, holder != ""); err != nil {
		w.Log.Warn("that the runner waits was not published", "error", err)
		return
	}
	w.reported = text
}

// begun publishes that the runner waits no more.
func (w *waiter) begun(ctx context.Context) {
	if w.reported == "" {
		return
	}
	if err := w.publish(ctx, "", true); err != nil {
		w.Log.Warn("that the runner waits no more was not published", "error", err)
	}
}

// publish adds to the last report whom the runner waits for. Nothing else in that changes: it may be final, and mean
// that nothing is to be done. Unless another benchmark surely has the lock, a runner of this plan may be about to
// report, and a report that is there stays as it is.
func (w *waiter) publish(ctx context.Context, text string, alone bool) error {
	ctx, cancel := context.WithTimeout(ctx, progressPatience)
	defer cancel()
	last, err := w.Sink.Progress(ctx)
	if err != nil {
		return err
	}
	p := result.Progress{Version: result.Version, PlanDigest: w.digest, State: result.StateWaiting, Updated: w.Now()}
	if last != nil && last.PlanDigest == w.digest {
		if !alone {
			return nil
		}
		p = *last
	}
	p.Waiting = text
	return w.Sink.PutProgress(ctx, p)
}
