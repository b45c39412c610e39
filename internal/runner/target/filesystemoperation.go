// SPDX-License-Identifier: Apache-2.0

package target

import (
	"context"
	"errors"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/storage/hostfs"
	"zfsbench.io/operator/internal/tools/fill"
)

// trimTool is the name, in samples, of the tool that trims a filesystem: the ioctl that fstrim uses, too.
const trimTool = "FITRIM"

// errNoDiscard says that a trim has no effect.
var errNoDiscard = errors.New("the filesystem, or a device under it, cannot be told which space is free; an " +
	"md array with parity passes it on only where " + hostfs.DiscardParameter + " is Y")

func (filesystemStorage) OperationTool(v1alpha1.Workload) (name, version string) {
	return trimTool, trimTool
}

func (s filesystemStorage) OperationOf(w v1alpha1.Workload) func(context.Context, *Target) (Operated, error) {
	if o := w.OnPool(); o == nil || o.Trim == nil {
		return nil
	}
	return s.trim
}

// proveOwn returns nil if this trial's filesystem is mounted at the workloads' directory.
func (s filesystemStorage) proveOwn(ctx context.Context, t *Target) error {
	return s.Bounded(ctx, func() error {
		mounted, err := s.mountedOurs(t.Own, t.blockDevices()...)
		if err == nil && !mounted {
			err = errors.New("the filesystem is no longer mounted")
		}
		return err
	})
}

// trim discards the free space of the filesystem.
func (s filesystemStorage) trim(ctx context.Context, _ *Target) (Operated, error) {
	phase, err := s.timed(v1alpha1.OperationTrim, func() error {
		return s.Bounded(ctx, func() error {
			discarded, err := s.Baselines.TrimMount(s.Workspace.Target())
			if err == nil && !discarded {
				err = errNoDiscard
			}
			return err
		})
	})
	return Operated{[]string{trimTool, s.Workspace.Target()}, []result.Phase{phase}}, err
}

func (s filesystemStorage) Fills() Fillable { return s }

func (s filesystemStorage) Flush(ctx context.Context, t *Target) error { return s.Sync(ctx, t) }

// Space is the filesystem's space for files.
func (s filesystemStorage) Space(ctx context.Context, t *Target) (fill.Space, error) {
	space, err := s.Fullness(ctx, t)
	return SpaceOf(space), err
}

// Fullness is how full the filesystem is. Space that it reserves counts neither as used nor as available.
func (s filesystemStorage) Fullness(ctx context.Context, _ *Target) (result.PoolSpace, error) {
	var state hostfs.State
	err := s.Bounded(ctx, func() error {
		now, err := s.Baselines.Mounted(s.Workspace.Target())
		state = now
		return err
	})
	space := result.PoolSpace{AllocatedBytes: state.UsedBytes, FragmentationPercent: -1, UsedBytes: state.UsedBytes,
		AvailableBytes: state.AvailableBytes}
	if state.SizeBytes > 0 {
		space.CapacityPercent = int(float64(state.UsedBytes) / float64(state.SizeBytes) * 100)
	}
	return space, err
}
