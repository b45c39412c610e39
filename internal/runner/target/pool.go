// SPDX-License-Identifier: Apache-2.0

package target

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"k8s.io/apimachinery/pkg/util/wait"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/runner/failure"
	"zfsbench.io/operator/internal/runner/mounts"
	"zfsbench.io/operator/internal/runner/ownership"
	"zfsbench.io/operator/internal/storage/zfs"
	"zfsbench.io/operator/internal/storage/zfs/layout"
)

// poolStorage is a pool with the dataset that workloads use.
type poolStorage struct{ *Host }

func (poolStorage) name(own result.Ownership) string { return "pool " + own.PoolName }

func (poolStorage) onLoss() (reason string, neverEnds bool) { return v1alpha1.ReasonPoolFailed, true }

func (s poolStorage) Steps() []Step {
	return []Step{{"create pool", s.create}, {"create dataset", s.createDataset}, {"mount", s.mount}}
}

// create lets OpenZFS check the layout in a dry run, creates the pool, and records its GUID at once.
func (s poolStorage) create(ctx context.Context, t *Target) error {
	create, err := PoolToCreate(s.BenchmarkUID, t.Variant, t.Pool(), t.Paths)
	if err != nil {
		return failure.Wrap(v1alpha1.ReasonPoolFailed, "lay out the pool", err)
	}
	additions, err := layout.Additions(t.Pool(), t.Variant.Pool, t.Paths)
	if err != nil {
		return failure.Wrap(v1alpha1.ReasonPoolFailed, "lay out the pool", err)
	}
	dryRun := create
	dryRun.DryRun = true
	if err := s.Pools.CreatePool(ctx, dryRun); err != nil {
		return failure.Wrap(v1alpha1.ReasonPoolFailed, "create the pool", err)
	}
	t.Times.PoolCreate, err = s.took(func() error {
		if err := s.Pools.CreatePool(ctx, create); err != nil {
			return err
		}
		for _, add := range additions {
			if err := s.Pools.AddVdev(ctx, add); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return failure.Wrap(v1alpha1.ReasonPoolFailed, "create the pool", err)
	}
	pool, found, err := s.findPool(ctx, t.Pool())
	if err == nil && !found {
		err = errors.New("it is not imported, although zpool has created it")
	}
	if err != nil {
		return failure.Wrap(v1alpha1.ReasonPoolFailed, "find the new pool", err)
	}
	t.Own.PoolGUID = pool.GUID
	return s.Record(ctx, t.Own)
}

// PoolToCreate is a variant's pool on devices with these paths, for a benchmark.
func PoolToCreate(benchmarkUID string, v plan.Variant, name string, paths map[string]string) (zfs.CreatePool, error) {
	vdevs, err := layout.Vdevs(v.Pool, paths)
	if err != nil {
		return zfs.CreatePool{}, err
	}
	return zfs.CreatePool{
		Name: name, Comment: ownership.PoolComment(benchmarkUID), Ashift: v.Pool.Ashift, Layout: vdevs,
		Properties:     TextProperties(v.Pool.Properties),
		UserProperties: map[string]string{zfs.OwnerProperty: benchmarkUID},
	}, nil
}

// findPool finds an imported pool by its name.
func (s poolStorage) findPool(ctx context.Context, name string) (zfs.Pool, bool, error) {
	pools, err := s.Pools.Pools(ctx)
	if err != nil {
		return zfs.Pool{}, false, err
	}
	for _, p := range pools {
		if p.Name == name {
			return p, true, nil
		}
	}
	return zfs.Pool{}, false, nil
}

// createDataset makes the dataset that the workloads use.
func (s poolStorage) createDataset(ctx context.Context, t *Target) error {
	spec := t.Variant.Dataset
	if !t.isVolume() {
		if err := s.Pools.CreateFilesystem(ctx, t.dataset(), withQuota(spec)); err != nil {
			return failure.Wrap(v1alpha1.ReasonPoolFailed, "create the filesystem", err)
		}
		return s.createChildren(ctx, t)
	}
	if spec.Volume == nil {
		return failure.Wrap(v1alpha1.ReasonPoolFailed, "create the volume", errors.New("it has no size"))
	}
	_, err := s.Pools.CreateVolume(ctx, zfs.Volume{
		Name: t.dataset(), SizeBytes: spec.Volume.Size.Value(), Sparse: spec.Volume.Sparse,
		Properties: TextProperties(spec.Properties),
	})
	return failure.Wrap(v1alpha1.ReasonPoolFailed, "create the volume", err)
}

// withQuota are the properties of a filesystem, with the quota and reservation that the CSI driver would set, too.
func withQuota(spec v1alpha1.DatasetSpec) map[string]string {
	properties := TextProperties(spec.Properties)
	if spec.Quota == nil {
		return properties
	}
	size := strconv.FormatInt(spec.Quota.Size.Value(), 10)
	properties["quota"] = size
	if !spec.Quota.Sparse {
		properties["reservation"] = size
	}
	return properties
}

// mount makes the dataset usable: it mounts a filesystem in the runner's own mount namespace, and finds the block
// device of a volume, whose number may change with an import.
func (s poolStorage) mount(ctx context.Context, t *Target) error {
	if t.isVolume() {
		return failure.Wrap(v1alpha1.ReasonPoolFailed, "find the volume's device", s.findVolume(ctx, t))
	}
	properties, err := s.Pools.Get(ctx, t.dataset(), "atime", "relatime")
	if err != nil {
		return failure.Wrap(v1alpha1.ReasonPoolFailed, "mount the filesystem", err)
	}
	err = s.Bounded(ctx, func() error {
		return s.Mounts.Mount(t.dataset(), s.Workspace.Target(), mounts.OptionsOf(properties))
	})
	if err != nil {
		return failure.Wrap(v1alpha1.ReasonPoolFailed, "mount the filesystem", err)
	}
	return s.mountChildren(ctx, t)
}

// findVolume finds the block device of a volume, and makes sure that it is really that volume's, because the workload
// is going to overwrite it. The link may still lead to an old device.
func (s poolStorage) findVolume(ctx context.Context, t *Target) error {
	var last error
	err := wait.PollUntilContextTimeout(ctx, s.Timings.BusyPoll, s.Timings.BusyPatience, true,
		func(ctx context.Context) (bool, error) {
			last = s.tryVolume(ctx, t)
			return last == nil, nil
		})
	return errors.Join(err, last)
}

func (s poolStorage) tryVolume(ctx context.Context, t *Target) error {
	device, err := s.Pools.VolumeDevice(ctx, t.dataset())
	if err != nil {
		return err
	}
	name, err := s.Mounts.VolumeName(device)
	if err != nil {
		return err
	}
	if name != t.dataset() {
		return fmt.Errorf("%s is volume %s, not %s", device, name, t.dataset())
	}
	t.Device = device
	return nil
}
