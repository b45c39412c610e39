// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"

	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/runner/workspace"
)

// lock takes the locks that a runner needs: the node's lock, then the scratch directory's, which is the only one that
// runners of older versions take. While another runner holds one of them, the progress says so.
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

// waiter reports that this runner waits for another one.
type waiter struct {
	*Engine
	logged, reported string
}

// report publishes once which runner this one waits for. If publishing fails, the next call tries again.
func (w *waiter) report(ctx context.Context, holder string) {
	text := "another runner on this node to end"
	if holder != "" {
		text += ": the runner of " + holder
	}
	if w.logged != text {
		w.logged = text
		w.Log.Info("waiting for " + text)
	}
	// Another runner of this same plan, which is about to end, writes its own reports.
	if w.reported == text || holder == w.who() {
		return
	}
	if err := w.publish(ctx, text, holder != ""); err != nil {
		w.Log.Warn("could not publish that the runner waits", "error", err)
		return
	}
	w.reported = text
}

// begun publishes that the runner no longer waits.
func (w *waiter) begun(ctx context.Context) {
	if w.reported == "" {
		return
	}
	if err := w.publish(ctx, "", true); err != nil {
		w.Log.Warn("could not publish that the runner no longer waits", "error", err)
	}
}

// publish adds to the last report which runner this one waits for. It changes nothing else: the report may be final,
// and then there is nothing left to do. alone says that no other runner of this plan is at work. Otherwise one may be
// about to report, so an existing report is not changed.
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
