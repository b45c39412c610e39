// SPDX-License-Identifier: Apache-2.0

package target

import (
	"context"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
)

// claimFilesystemStorage is a filesystem other than ZFS on a volume that the CSI driver makes in the benchmark's pool.
type claimFilesystemStorage struct{ claimStorage }

func (s claimFilesystemStorage) Sync(ctx context.Context, t *Target) error {
	if err := s.syncFilesystem(ctx); err != nil {
		return err
	}
	return s.claimStorage.Sync(ctx, t)
}

func (s claimFilesystemStorage) Describe(ctx context.Context, t *Target, sample *result.Sample) error {
	if err := s.describeFilesystem(ctx, t, sample); err != nil {
		return err
	}
	return s.claimStorage.Describe(ctx, t, sample)
}

func (s claimFilesystemStorage) CheckUndisturbed(ctx context.Context, t *Target, w v1alpha1.Workload) error {
	if err := s.claimStorage.CheckUndisturbed(ctx, t, w); err != nil {
		return err
	}
	return s.checkWritable(ctx, w)
}
