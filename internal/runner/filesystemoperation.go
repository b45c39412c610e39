// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"errors"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/storage/hostfs"
	"zfsbench.io/operator/internal/tools/fill"
)

// trimTool is what samples call the tool that trims a filesystem: the kernel, of which the runner asks what fstrim
// does.
const trimTool = "FITRIM"

// errNoDiscard says that a trim has no effect.
var errNoDiscard = errors.New("the filesystem, or a device under it, cannot be told which space is free; an " +
	"md array with parity passes it on only where " + hostfs.DiscardParameter + " is Y")

func (filesystemStorage) operationTool(v1alpha1.Workload) (name, version string) {
	return trimTool, trimTool
}

func (s filesystemStorage) operationOf(w v1alpha1.Workload) func(context.Context, *target) (operated, error) {
	if o := w.OnPool(); o == nil || o.Trim == nil {
		return nil
	}
	return s.trim
}

// proveOwn returns nil if what is mounted where workloads run is this trial's filesystem.
func (s filesystemStorage) proveOwn(ctx context.Context, t *target) error {
	return s.bounded(ctx, func() error {
		mounted, err := s.mountedOurs(t.own, t.blockDevices()...)
		if err == nil && !mounted {
			err = errors.New("the filesystem is not mounted any more")
		}
		return err
	})
}

// trim discards the free space of the filesystem.
func (s filesystemStorage) trim(ctx context.Context, _ *target) (operated, error) {
	phase, err := s.timed(v1alpha1.OperationTrim, func() error {
		return s.bounded(ctx, func() error {
			discarded, err := s.Baselines.TrimMount(s.ws.Target())
			if err == nil && !discarded {
				err = errNoDiscard
			}
			return err
		})
	})
	return operated{[]string{trimTool, s.ws.Target()}, []result.Phase{phase}}, err
}

func (s filesystemStorage) fills() fillable { return s }

func (s filesystemStorage) flush(ctx context.Context, t *target) error { return s.sync(ctx, t) }

// space is what the filesystem gives to files.
func (s filesystemStorage) space(ctx context.Context, t *target) (fill.Space, error) {
	space, err := s.fullness(ctx, t)
	return spaceOf(space), err
}

// fullness is how full the filesystem is. What it keeps back for itself counts neither as used nor as available.
func (s filesystemStorage) fullness(ctx context.Context, _ *target) (result.PoolSpace, error) {
	var state hostfs.State
	err := s.bounded(ctx, func() error {
		now, err := s.Baselines.Mounted(s.ws.Target())
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
