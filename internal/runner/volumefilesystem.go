// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"

	"zfsbench.io/operator/internal/runner/failure"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
)

// volumeFilesystemStorage is a filesystem other than ZFS on a volume of a pool. What becomes of it when the pool is
// torn down is the pool's business.
type volumeFilesystemStorage struct{ poolStorage }

func (s volumeFilesystemStorage) steps() []setUpStep {
	return append(s.poolStorage.steps(), setUpStep{"make filesystem", s.create}, setUpStep{"mount filesystem", s.mount})
}

// create makes the filesystem. The pool proves whose it is: its UUID is nobody else's, and that is all.
func (s volumeFilesystemStorage) create(ctx context.Context, t *target) error {
	return s.makeFilesystem(ctx, t, s.newGUID(), t.device)
}

// mount mounts the filesystem on the volume whose device was found. The workloads use the directory, not the device.
func (s volumeFilesystemStorage) mount(ctx context.Context, t *target) error {
	device := t.device
	t.device = ""
	return s.mountFilesystem(ctx, t, device)
}

func (s volumeFilesystemStorage) sync(ctx context.Context, t *target) error {
	if err := s.syncFilesystem(ctx); err != nil {
		return err
	}
	return s.poolStorage.sync(ctx, t)
}

// emptyCache unmounts the filesystem, which empties the page cache of it, and lets the pool empty the ARC.
func (s volumeFilesystemStorage) emptyCache(ctx context.Context, t *target) error {
	if err := s.unmountFilesystem(ctx, t.own); err != nil {
		return failure.Wrap(v1alpha1.ReasonBaselineFailed, "empty the cache by unmounting the filesystem", err)
	}
	if err := s.poolStorage.emptyCache(ctx, t); err != nil {
		return err
	}
	return s.mount(ctx, t)
}

func (s volumeFilesystemStorage) detach(ctx context.Context, t *target) error {
	if err := s.unmountFilesystem(ctx, t.own); err != nil {
		return failure.Wrap(v1alpha1.ReasonBaselineFailed, "unmount the filesystem", err)
	}
	return s.poolStorage.detach(ctx, t)
}

func (s volumeFilesystemStorage) reattach(ctx context.Context, t *target) error {
	if err := s.poolStorage.reattach(ctx, t); err != nil {
		return err
	}
	return s.mount(ctx, t)
}

// renew makes a new volume, and a new filesystem on it.
func (s volumeFilesystemStorage) renew(ctx context.Context, t *target) error {
	if err := s.unmountFilesystem(ctx, t.own); err != nil {
		return failure.Wrap(v1alpha1.ReasonBaselineFailed, "unmount the filesystem of the repetition before", err)
	}
	if err := s.poolStorage.renew(ctx, t); err != nil {
		return err
	}
	if err := s.create(ctx, t); err != nil {
		return err
	}
	return s.mount(ctx, t)
}

func (volumeFilesystemStorage) addFeatures(context.Context, *target, *result.Features) error {
	return nil
}

func (s volumeFilesystemStorage) describe(ctx context.Context, t *target, sample *result.Sample) error {
	if err := s.describeFilesystem(ctx, t, sample); err != nil {
		return err
	}
	return s.poolStorage.describe(ctx, t, sample)
}

func (s volumeFilesystemStorage) checkUndisturbed(ctx context.Context, t *target, w v1alpha1.Workload) error {
	if err := s.poolStorage.checkUndisturbed(ctx, t, w); err != nil {
		return err
	}
	return s.checkWritable(ctx, w)
}
