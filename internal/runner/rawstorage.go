// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"errors"

	"zfsbench.io/operator/internal/runner/failure"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
)

// rawStorage is a partition or an md array, used as the block device that it is.
type rawStorage struct {
	baseline
	*host
}

func (s rawStorage) steps() []setUpStep { return []setUpStep{{"find device", s.find}} }

func (rawStorage) find(_ context.Context, t *target) error {
	if t.variant.Baseline != nil && t.variant.Baseline.Raw != nil {
		t.device = t.baselineDevice()
	}
	if t.device == "" {
		return failure.Wrap(v1alpha1.ReasonBaselineFailed, "find the device", errors.New("the variant has none"))
	}
	return nil
}

func (s rawStorage) sync(ctx context.Context, t *target) error {
	err := s.bounded(ctx, func() error { return s.Baselines.SyncDevice(t.device) })
	return failure.Wrap(v1alpha1.ReasonBaselineFailed, "sync the device", err)
}

func (s rawStorage) emptyCache(ctx context.Context, t *target) error {
	err := s.bounded(ctx, func() error { return s.Baselines.ForgetDevice(t.device) })
	return failure.Wrap(v1alpha1.ReasonBaselineFailed, "empty the cache of the device", err)
}

func (s rawStorage) describe(_ context.Context, t *target, sample *result.Sample) error {
	budget, err := s.Node.PageCacheBytes()
	if err != nil {
		return failure.Wrap(v1alpha1.ReasonBaselineFailed, "read the facts of the device", err)
	}
	sample.Baseline = &result.BaselineFacts{Type: t.own.Baseline, CacheBudgetBytes: budget}
	return nil
}

// broken is a *goneError or nil.
func (s rawStorage) broken(t *target) error { return s.lostDevices(t) }

func (rawStorage) checkUndisturbed(context.Context, *target, v1alpha1.Workload) error { return nil }

// renew has nothing to do: the disk keeps what was written, like any disk in use.
func (rawStorage) renew(context.Context, *target) error { return nil }

// teardown has nothing to do: whoever has the partition open keeps the guard from releasing it.
func (rawStorage) teardown(context.Context, *result.Ownership) error { return nil }
