// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"zfsbench.io/operator/internal/result"
)

const (
	// progressInterval is the shortest time between two writes of progress without a change of state.
	progressInterval = 5 * time.Second
	// progressPatience bounds one write: the next one has newer content anyway.
	progressPatience = 5 * time.Second
)

// reporter publishes progress in the background, so that an unavailable sink never delays a workload. Only the latest
// state counts: a later write replaces one that failed.
type reporter struct {
	sink     Sink
	now      func() time.Time
	log      *slog.Logger
	interval time.Duration

	mu      sync.Mutex
	current result.Progress
	changed bool

	urgent chan struct{}
	stop   context.CancelFunc
	done   sync.WaitGroup
}

func newReporter(d Deps, first result.Progress) *reporter {
	return &reporter{sink: d.Sink, now: d.Now, log: d.Log, interval: progressInterval, current: first,
		urgent: make(chan struct{}, 1), stop: func() {}}
}

// start publishes the first state at once, and every change until finish.
func (r *reporter) start(ctx context.Context) {
	ctx, r.stop = context.WithCancel(context.WithoutCancel(ctx))
	r.urgent <- struct{}{}
	r.done.Go(func() { r.publish(ctx) })
}

// update changes the progress; it is published with the next write.
func (r *reporter) update(change func(*result.Progress)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(&r.current)
	r.changed = true
}

// announce changes the progress and publishes it at once.
func (r *reporter) announce(change func(*result.Progress)) {
	r.update(change)
	select {
	case r.urgent <- struct{}{}:
	default:
	}
}

// finish ends publishing and returns the last progress; the engine sends the report.
func (r *reporter) finish() result.Progress {
	r.stop()
	r.done.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stamped()
}

func (r *reporter) publish(ctx context.Context) {
	tick := time.NewTicker(r.interval)
	defer tick.Stop()
	for {
		select {
		case <-r.urgent:
			r.send(ctx)
		case <-tick.C:
			if r.hasChanged() {
				r.send(ctx)
			}
		case <-ctx.Done():
			return
		}
	}
}

func (r *reporter) hasChanged() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.changed
}

// send writes the current progress, without the hundreds of module parameters: they are in the report.
func (r *reporter) send(ctx context.Context) {
	r.mu.Lock()
	progress := r.stamped()
	r.changed = false
	r.mu.Unlock()
	if progress.Node != nil {
		brief := *progress.Node
		brief.ModuleParameters = nil
		progress.Node = &brief
	}
	ctx, cancel := context.WithTimeout(ctx, progressPatience)
	defer cancel()
	if err := r.sink.PutProgress(ctx, progress); err != nil && ctx.Err() == nil {
		r.log.Warn("progress was not published", "error", err)
	}
}

// stamped is a copy of the current progress with the time; the lock is held.
func (r *reporter) stamped() result.Progress {
	progress := r.current
	if progress.Current != nil {
		current := *progress.Current
		progress.Current = &current
	}
	progress.Updated = r.now()
	return progress
}
