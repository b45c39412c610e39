// SPDX-License-Identifier: Apache-2.0

package target

import (
	"context"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/runner/failure"
)

// volumeFilesystemStorage is a filesystem other than ZFS on a volume of a pool. Its teardown is the pool's teardown.
type volumeFilesystemStorage struct{ poolStorage }

func (s volumeFilesystemStorage) Steps() []Step {
	return append(s.poolStorage.Steps(), Step{"make filesystem", s.create}, Step{"mount filesystem", s.mount})
}

// create makes the filesystem. Its UUID only has to be unique: the pool proves whose it is.
func (s volumeFilesystemStorage) create(ctx context.Context, t *Target) error {
	return s.makeFilesystem(ctx, t, s.NewGUID(), t.Device)
}

// mount mounts the filesystem on the volume's device and clears t.Device: workloads use the directory, not the device.
func (s volumeFilesystemStorage) mount(ctx context.Context, t *Target) error {
	device := t.Device
	t.Device = ""
	return s.mountFilesystem(ctx, t, device)
}

func (s volumeFilesystemStorage) Sync(ctx context.Context, t *Target) error {
	if err := s.syncFilesystem(ctx); err != nil {
		return err
	}
	return s.poolStorage.Sync(ctx, t)
}

// EmptyCache unmounts the filesystem, which drops its files from the page cache, and lets the pool empty the ARC.
func (s volumeFilesystemStorage) EmptyCache(ctx context.Context, t *Target) error {
	if err := s.unmountFilesystem(ctx, t.Own); err != nil {
		return failure.Wrap(v1alpha1.ReasonBaselineFailed, "empty the cache by unmounting the filesystem", err)
	}
	if err := s.poolStorage.EmptyCache(ctx, t); err != nil {
		return err
	}
	return s.mount(ctx, t)
}

func (s volumeFilesystemStorage) detach(ctx context.Context, t *Target) error {
	if err := s.unmountFilesystem(ctx, t.Own); err != nil {
		return failure.Wrap(v1alpha1.ReasonBaselineFailed, "unmount the filesystem", err)
	}
	return s.poolStorage.detach(ctx, t)
}

func (s volumeFilesystemStorage) reattach(ctx context.Context, t *Target) error {
	if err := s.poolStorage.reattach(ctx, t); err != nil {
		return err
	}
	return s.mount(ctx, t)
}

// Renew makes a new volume, and a new filesystem on it.
func (s volumeFilesystemStorage) Renew(ctx context.Context, t *Target) error {
	if err := s.unmountFilesystem(ctx, t.Own); err != nil {
		return failure.Wrap(v1alpha1.ReasonBaselineFailed, "unmount the filesystem of the previous repetition", err)
	}
	if err := s.poolStorage.Renew(ctx, t); err != nil {
		return err
	}
	if err := s.create(ctx, t); err != nil {
		return err
	}
	return s.mount(ctx, t)
}

func (volumeFilesystemStorage) addFeatures(context.Context, *Target, *result.Features) error {
	return nil
}

func (s volumeFilesystemStorage) Describe(ctx context.Context, t *Target, sample *result.Sample) error {
	if err := s.describeFilesystem(ctx, t, sample); err != nil {
		return err
	}
	return s.poolStorage.Describe(ctx, t, sample)
}

func (s volumeFilesystemStorage) CheckUndisturbed(ctx context.Context, t *Target, w v1alpha1.Workload) error {
	if err := s.poolStorage.CheckUndisturbed(ctx, t, w); err != nil {
		return err
	}
	return s.checkWritable(ctx, w)
}
