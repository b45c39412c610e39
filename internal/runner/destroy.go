// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"errors"
	"fmt"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/runner/failure"
	"zfsbench.io/operator/internal/runner/ownership"
)

// tearDown removes everything that an ownership record lists, restores the module parameters, and then clears the
// record. It has its own timeout, whatever ended ctx. What is not provably ours stays; then the record stays, too, and
// the error says what is left.
func (e *Engine) tearDown(ctx context.Context, own result.Ownership) error {
	timeout := e.timings.teardownTimeout
	if errors.Is(stopCause(ctx), ErrInterrupted) {
		// The report must be sent before the process is killed.
		timeout = min(timeout, plan.GracePeriod(e.plan)-2*e.timings.interruptedReportTimeout)
	}
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), timeout, errors.New("the teardown takes too long"))
	defer cancel()
	if own.BenchmarkUID != e.plan.Benchmark.UID {
		return failure.Wrap(v1alpha1.ReasonCleanupFailed, "clean up", fmt.Errorf("the record belongs to benchmark %s",
			own.BenchmarkUID))
	}
	// The parameters are restored even if a pool has to stay: the administrator should have only the pool to clean up.
	if err := errors.Join(e.removeOwned(ctx, own), e.parameters().Restore(own)); err != nil {
		return err
	}
	if err := e.journal.ClearOwned(); err != nil {
		return failure.Wrap(v1alpha1.ReasonCleanupFailed, "record on the node that nothing is left", err)
	}
	return failure.Wrap(v1alpha1.ReasonRunnerFailed, "record that nothing is left", e.clearRecord(ctx))
}

// removeOwned removes what is on the devices, and then releases the devices.
func (e *Engine) removeOwned(ctx context.Context, own result.Ownership) error {
	left := own
	if err := e.host.StorageOf(own).Teardown(ctx, &left); err != nil {
		return err
	}
	left.Devices = ownership.Reachable(own.Devices)
	return e.releaseDevices(ctx, left)
}

// clearRecord clears the sink's ownership record. If that fails, deliver tries again before it sends the report.
func (e *Engine) clearRecord(ctx context.Context) error {
	e.recorded = true
	if err := e.Sink.ClearOwnership(ctx); err != nil {
		return err
	}
	e.recorded = false
	return nil
}

// releaseDevices makes disks blank again and removes files. If one cannot be released, it still releases the others.
func (e *Engine) releaseDevices(ctx context.Context, own result.Ownership) error {
	var errs []error
	var left []result.OwnedDevice
	for _, d := range own.Devices {
		if err := e.releaseDevice(ctx, d, own.PoolComment); err != nil {
			errs, left = append(errs, err), append(left, d)
		}
	}
	return failure.Wrap(v1alpha1.ReasonCleanupFailed, "release devices; left are "+ownership.Names(left),
		errors.Join(errs...))
}

func (e *Engine) releaseDevice(ctx context.Context, d result.OwnedDevice, comment string) error {
	if d.File != "" {
		return e.files().Remove(d.File)
	}
	return e.Disks.Release(ctx, d, comment)
}
