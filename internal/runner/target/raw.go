// SPDX-License-Identifier: Apache-2.0

package target

import (
	"context"
	"errors"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/runner/failure"
)

// rawStorage is a partition or an md array that workloads use as a block device.
type rawStorage struct {
	baseline
	*Host
}

func (rawStorage) name(result.Ownership) string { return "the raw baseline" }

func (s rawStorage) Steps() []Step { return []Step{{"find device", s.find}} }

func (rawStorage) find(_ context.Context, t *Target) error {
	if t.Variant.Baseline != nil && t.Variant.Baseline.Raw != nil {
		t.Device = t.baselineDevice()
	}
	if t.Device == "" {
		return failure.Wrap(v1alpha1.ReasonBaselineFailed, "find the device", errors.New("the variant has none"))
	}
	return nil
}

func (s rawStorage) Sync(ctx context.Context, t *Target) error {
	err := s.Bounded(ctx, func() error { return s.Baselines.SyncDevice(t.Device) })
	return failure.Wrap(v1alpha1.ReasonBaselineFailed, "sync the device", err)
}

func (s rawStorage) EmptyCache(ctx context.Context, t *Target) error {
	err := s.Bounded(ctx, func() error { return s.Baselines.ForgetDevice(t.Device) })
	return failure.Wrap(v1alpha1.ReasonBaselineFailed, "empty the cache of the device", err)
}

func (s rawStorage) Describe(_ context.Context, t *Target, sample *result.Sample) error {
	budget, err := s.Node.PageCacheBytes()
	if err != nil {
		return failure.Wrap(v1alpha1.ReasonBaselineFailed, "read the facts of the device", err)
	}
	sample.Baseline = &result.BaselineFacts{Type: t.Own.Baseline, CacheBudgetBytes: budget}
	return nil
}

// Broken is a *GoneError or nil.
func (s rawStorage) Broken(t *Target) error { return s.lostDevices(t) }

func (rawStorage) CheckUndisturbed(context.Context, *Target, v1alpha1.Workload) error { return nil }

// Renew has nothing to do: the disk keeps what was written, like any disk in use.
func (rawStorage) Renew(context.Context, *Target) error { return nil }

// Teardown has nothing to do: whoever has the partition open keeps the guard from releasing it.
func (rawStorage) Teardown(context.Context, *result.Ownership) error { return nil }
