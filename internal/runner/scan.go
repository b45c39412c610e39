// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/runner/preflight"
	"zfsbench.io/operator/internal/storage/blockdev"
)

// scanDisks reads, in parallel, all of every disk that a policy wants to be scanned in full. It adds refused disks to
// the preflight. Its error says why it was stopped.
func (e *Engine) scanDisks(ctx context.Context, found *result.Preflight) error {
	devices := slices.DeleteFunc(slices.Clone(e.plan.Devices), func(d plan.Device) bool { return !d.FullScan })
	if len(devices) == 0 || !found.Passed {
		return nil
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go e.awaitSuspension(ctx, cancel)
	verdicts := e.disksOf(ctx, devices)
	e.showScan(verdicts)
	var scans sync.WaitGroup
	for i := range verdicts {
		if v := &verdicts[i]; v.Refusal == nil {
			scans.Go(func() {
				v.Refusal = e.host.Bounded(ctx, func() error { return e.Disks.Scan(ctx, v.Disk, e.countScanned) })
			})
		}
	}
	scans.Wait()
	e.progress.update(func(p *result.Progress) { p.Scan = nil })
	if stopped := context.Cause(ctx); stopped != nil {
		return stopped
	}
	enterRefusals(found, verdicts)
	return nil
}

// showScan publishes that disks are about to be read.
func (e *Engine) showScan(verdicts []blockdev.Verdict) {
	scan := result.ScanProgress{Devices: len(verdicts)}
	for _, v := range verdicts {
		scan.TotalBytes += v.Want.SizeBytes
	}
	e.Log.Info("reading whole disks", "disks", scan.Devices, "bytes", scan.TotalBytes)
	e.progress.announce(func(p *result.Progress) { p.Scan = &scan })
}

// countScanned adds what was read. It replaces the published ScanProgress and never changes it in place.
func (e *Engine) countScanned(bytes int64) {
	e.progress.update(func(p *result.Progress) {
		if p.Scan == nil {
			return
		}
		scan := *p.Scan
		scan.ReadBytes = min(scan.ReadBytes+bytes, scan.TotalBytes)
		p.Scan = &scan
	})
}

// awaitSuspension ends the context when the benchmark is to be suspended.
func (e *Engine) awaitSuspension(ctx context.Context, cancel context.CancelCauseFunc) {
	poll := time.NewTicker(e.timings.suspendPoll)
	defer poll.Stop()
	for {
		if err := e.checkSuspension(ctx); errors.Is(err, errSuspended) {
			cancel(errSuspended)
		}
		select {
		case <-poll.C:
		case <-ctx.Done():
			return
		}
	}
}

// enterRefusals marks the refused devices in the preflight.
func enterRefusals(found *result.Preflight, verdicts []blockdev.Verdict) {
	for _, v := range verdicts {
		i := slices.IndexFunc(found.Devices, func(d result.DeviceReport) bool { return d.Name == v.Want.Name })
		if v.Refusal == nil || i < 0 {
			continue
		}
		preflight.MarkRefused(&found.Devices[i], v.Refusal)
		found.Passed = false
	}
}
