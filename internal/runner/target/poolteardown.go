// SPDX-License-Identifier: Apache-2.0

package target

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/runner/failure"
	"zfsbench.io/operator/internal/runner/ownership"
	"zfsbench.io/operator/internal/storage/zfs"
)

// Teardown exports the pool, and records that.
func (s poolStorage) Teardown(ctx context.Context, own *result.Ownership) error {
	if own.PoolGone {
		return nil
	}
	if err := s.destroyPool(ctx, *own); err != nil {
		return failure.Wrap(v1alpha1.ReasonCleanupFailed, fmt.Sprintf(
			"clean up; pool %s and its devices (%s) are left", own.PoolName, ownership.Names(own.Devices)), err)
	}
	// Recorded, because the pool cannot be proved again once some of its devices are released.
	own.PoolGone = true
	return failure.Wrap(v1alpha1.ReasonCleanupFailed, "record on the node that the pool is gone",
		s.Journal.RecordOwned(*own))
}

// destroyPool exports the recorded pool if it is imported, or can be imported from the recorded devices. Releasing the
// devices then erases the labels of the exported pool. If there is no such pool, nothing has to be done.
func (s poolStorage) destroyPool(ctx context.Context, own result.Ownership) error {
	pool, imported, err := s.findPool(ctx, own.PoolName)
	if err != nil {
		return err
	}
	if !imported {
		if pool, imported, err = s.importOwned(ctx, own); err != nil {
			return err
		}
	}
	if !imported {
		return nil
	}
	// With a suspended pool, everything below would wait in the kernel.
	if err := s.Pools.CheckState(own.PoolName); err != nil {
		return err
	}
	ctx, cancel := s.untilGone(ctx, own)
	defer cancel()
	if err := s.prove(ctx, own, pool); err != nil {
		return notOurs(pool.Name, s.withGone(ctx, own, err))
	}
	if err := s.retryBusy(ctx, func() error {
		if err := s.unmountAll(ctx); err != nil {
			return err
		}
		return s.Pools.Export(ctx, pool.Name, pool.GUID)
	}); err != nil {
		return err
	}
	return s.proveExported(ctx, own, pool)
}

func notOurs(pool string, err error) error {
	return fmt.Errorf("pool %s is not provably this benchmark's and is not touched: %w", pool, err)
}

// proveExported makes sure that the exported pool still holds only our datasets: until the export, anybody could create
// one in it. It imports the pool read-only, so that nobody can change it meanwhile. If the pool holds anything else, it
// is imported again for its users, with its filesystems mounted.
func (s poolStorage) proveExported(ctx context.Context, own result.Ownership, pool zfs.Pool) error {
	again := zfs.Import{GUID: pool.GUID, Name: pool.Name, Dirs: ownership.SearchPaths(ownership.Reachable(own.Devices)),
		ReadOnly: true}
	if err := s.retryBusy(ctx, func() error { return s.Pools.Import(ctx, again) }); err != nil {
		return err
	}
	foreign := s.proveDatasets(ctx, own, pool.Name)
	if err := s.retryBusy(ctx, func() error { return s.Pools.Export(ctx, pool.Name, pool.GUID) }); err != nil {
		return errors.Join(foreign, err)
	}
	if foreign == nil {
		return nil
	}
	again.ReadOnly, again.Mount = false, true
	err := s.retryBusy(ctx, func() error { return s.Pools.Import(ctx, again) })
	return notOurs(pool.Name, errors.Join(foreign, err))
}

// unavailable is the state of a pool that cannot be imported because devices are missing.
const unavailable = "UNAVAIL"

// importOwned imports the recorded pool, if the recorded devices hold it, without mounting anything.
func (s poolStorage) importOwned(ctx context.Context, own result.Ownership) (zfs.Pool, bool, error) {
	searchIn := slices.DeleteFunc(ownership.SearchPaths(own.Devices), func(path string) bool {
		_, err := os.Stat(path)
		return err != nil
	})
	if len(searchIn) == 0 {
		return zfs.Pool{}, false, nil
	}
	pools, err := s.Pools.Importable(ctx, zfs.ImportScan{Dirs: searchIn})
	if err != nil {
		return zfs.Pool{}, false, err
	}
	for _, p := range pools {
		if p.Name != own.PoolName || p.Comment != own.PoolComment || own.PoolGUID != "" && p.GUID != own.PoolGUID {
			continue
		}
		if p.State == unavailable && len(ownership.Reachable(own.Devices)) < len(own.Devices) {
			// Nobody can import the pool without the devices that were given up, so its labels may be erased from the others.
			// But if one of the others is away, too, the pool may lack only that one, and may hold somebody else's dataset.
			return zfs.Pool{}, false, allThere(ownership.Reachable(own.Devices))
		}
		if err := s.Pools.Import(ctx, zfs.Import{GUID: p.GUID, Name: p.Name, Dirs: searchIn}); err != nil {
			return zfs.Pool{}, false, err
		}
		return s.findPool(ctx, own.PoolName)
	}
	return zfs.Pool{}, false, nil
}

// allThere is an error if a recorded partition or file is not on the node at the moment.
func allThere(devices []result.OwnedDevice) error {
	for _, d := range devices {
		for _, path := range ownership.Paths(d) {
			if _, err := os.Stat(path); err != nil {
				return fmt.Errorf("the pool cannot be imported, perhaps only because %s of device %s is missing: %w", path,
					d.Name, err)
			}
		}
	}
	return nil
}

// prove returns nil if an imported pool is the recorded one: its GUID if that is known, its comment, its owner, all of
// its devices, and no dataset that is not ours.
func (s poolStorage) prove(ctx context.Context, own result.Ownership, pool zfs.Pool) error {
	if own.PoolGUID != "" && pool.GUID != own.PoolGUID {
		return fmt.Errorf("its GUID is %s, recorded is %s", pool.GUID, own.PoolGUID)
	}
	if pool.Comment != own.PoolComment {
		return fmt.Errorf("its comment is %q, recorded is %q", pool.Comment, own.PoolComment)
	}
	properties, err := s.Pools.Get(ctx, pool.Name, zfs.OwnerProperty)
	if err != nil {
		return err
	}
	if owner := properties[zfs.OwnerProperty]; owner != own.BenchmarkUID {
		return fmt.Errorf("its owner is %q, recorded is %q", owner, own.BenchmarkUID)
	}
	if err := s.proveDevices(ctx, own, pool.Name); err != nil {
		return err
	}
	return s.proveDatasets(ctx, own, pool.Name)
}

// proveDatasets returns nil if a pool holds no dataset but the recorded ones.
func (s poolStorage) proveDatasets(ctx context.Context, own result.Ownership, pool string) error {
	datasets, err := s.Pools.Datasets(ctx, pool)
	if err != nil {
		return err
	}
	for _, dataset := range datasets {
		if !own.OwnsDataset(dataset) {
			return fmt.Errorf("it holds %s, which this benchmark did not make", dataset)
		}
	}
	return nil
}

// proveDevices returns nil if every device of a pool is a recorded one, and the recorded disks still carry the recorded
// partition tables.
func (s poolStorage) proveDevices(ctx context.Context, own result.Ownership, pool string) error {
	vdevs, err := s.Pools.VdevPaths(ctx, pool)
	if err != nil {
		return err
	}
	if len(vdevs) == 0 {
		return errors.New("its devices are not known")
	}
	for _, vdev := range vdevs {
		i := slices.IndexFunc(own.Devices, func(d result.OwnedDevice) bool {
			return slices.ContainsFunc(ownership.Paths(d), func(path string) bool { return ownership.SamePath(vdev, path) })
		})
		if i < 0 {
			return fmt.Errorf("its device %s is not a recorded one", vdev)
		}
		if own.Devices[i].File != "" || own.Devices[i].Gone != "" {
			continue
		}
		if err := s.Disks.Prove(ctx, own.Devices[i]); err != nil {
			return err
		}
	}
	return nil
}
