// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
	"k8s.io/apimachinery/pkg/util/wait"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/hostexec"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/zfs"
)

const (
	// teardownTimeout bounds a teardown. Exporting a pool first writes out what is still in memory.
	teardownTimeout = 5 * time.Minute
	// busyPatience is how long a pool may stay busy after its last user is gone: the kernel lets go of an ended sandbox's mounts a little later.
	busyPatience = 30 * time.Second
	busyPoll     = 500 * time.Millisecond
	// kernelPatience is how long a system call may take to return after its time is up.
	kernelPatience = 10 * time.Second
)

// tearDown removes everything that an ownership records, in a time of its own, restores the module parameters, and then clears the record. What is not provably ours stays, the record
// stays, and the error says what is left.
func (e *Engine) tearDown(ctx context.Context, own result.Ownership) error {
	timeout := e.teardownTimeout
	if errors.Is(stopCause(ctx), ErrInterrupted) {
		// The report has to be out before the process is killed.
		timeout = min(timeout, plan.GracePeriod(e.plan)-2*interruptedReportTimeout)
	}
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), timeout, errors.New("the teardown takes too long"))
	defer cancel()
	if own.BenchmarkUID != e.plan.Benchmark.UID {
		return step(v1alpha1.ReasonCleanupFailed, "clean up", fmt.Errorf("the record belongs to benchmark %s", own.BenchmarkUID))
	}
	// The parameters are restored even where a pool has to stay: nobody may have to look for a second thing that is left.
	if err := errors.Join(e.takeAway(ctx, own), e.restoreParameters(own)); err != nil {
		return err
	}
	if err := e.journal.disown(); err != nil {
		return step(v1alpha1.ReasonCleanupFailed, "record on the node that nothing is left", err)
	}
	return step(v1alpha1.ReasonRunnerFailed, "record that nothing is left", e.clearRecord(ctx))
}

// takeAway removes the pool and makes its devices what they were.
func (e *Engine) takeAway(ctx context.Context, own result.Ownership) error {
	if !own.PoolGone {
		if err := e.destroyPool(ctx, own); err != nil {
			return step(v1alpha1.ReasonCleanupFailed, fmt.Sprintf("clean up; pool %s and its devices (%s) are left", own.PoolName, deviceNames(own.Devices)), err)
		}
		// A pool of which some devices have been released cannot be proved again.
		own.PoolGone = true
		if err := e.journal.own(own); err != nil {
			return step(v1alpha1.ReasonCleanupFailed, "record on the node that the pool is gone", err)
		}
	}
	return e.releaseDevices(ctx, own)
}

// clearRecord clears what the sink says is owned. If it fails, the report tries again.
func (e *Engine) clearRecord(ctx context.Context) error {
	e.recorded = true
	if err := e.Sink.ClearOwnership(ctx); err != nil {
		return err
	}
	e.recorded = false
	return nil
}

// releaseDevices makes disks blank again and removes files; one that cannot be released does not keep the others.
func (e *Engine) releaseDevices(ctx context.Context, own result.Ownership) error {
	var errs []error
	var left []result.OwnedDevice
	for _, d := range own.Devices {
		if err := e.releaseDevice(ctx, d, own.PoolComment); err != nil {
			errs, left = append(errs, err), append(left, d)
		}
	}
	return step(v1alpha1.ReasonCleanupFailed, "release devices; left are "+deviceNames(left), errors.Join(errs...))
}

func (e *Engine) releaseDevice(ctx context.Context, d result.OwnedDevice, comment string) error {
	if d.File != "" {
		return e.files().Remove(d.File)
	}
	return e.Disks.Release(ctx, d, comment)
}

// destroyPool takes the recorded pool away if it is imported, or can be imported from the recorded devices: what is left is an exported pool, whose labels go with its
// devices. A pool that is nowhere is as wanted.
func (e *Engine) destroyPool(ctx context.Context, own result.Ownership) error {
	pool, imported, err := e.findPool(ctx, own.PoolName)
	if err != nil {
		return err
	}
	if !imported {
		if pool, imported, err = e.importOwned(ctx, own); err != nil {
			return err
		}
	}
	if !imported {
		return nil
	}
	// Everything below waits in the kernel for a suspended pool.
	if err := e.Pools.CheckState(own.PoolName); err != nil {
		return err
	}
	gone := goneDevices(own)
	if gone != nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, gonePatience, gone)
		defer cancel()
	}
	if err := e.prove(ctx, own, pool); err != nil {
		return notOurs(pool.Name, errors.Join(gone, err))
	}
	if err := e.retryBusy(ctx, func() error {
		if err := e.bounded(ctx, func() error { return e.Mounts.Unmount(e.ws.target()) }); err != nil {
			return err
		}
		return e.Pools.Export(ctx, pool.Name, pool.GUID)
	}); err != nil {
		return err
	}
	return e.lookAgain(ctx, own, pool)
}

func notOurs(pool string, err error) error {
	return fmt.Errorf("pool %s is not provably this benchmark's and is not touched: %w", pool, err)
}

// lookAgain makes sure that the exported pool still holds nothing but ours: until it was exported, anybody could make a dataset in it. Imported read-only, it can be
// looked at and not changed. A pool that holds more is given back as it was, filesystems mounted.
func (e *Engine) lookAgain(ctx context.Context, own result.Ownership, pool zfs.Pool) error {
	again := zfs.Import{GUID: pool.GUID, Name: pool.Name, Dirs: searchIn(own.Devices), ReadOnly: true}
	if err := e.retryBusy(ctx, func() error { return e.Pools.Import(ctx, again) }); err != nil {
		return err
	}
	foreign := e.proveDatasets(ctx, own, pool.Name)
	if err := e.retryBusy(ctx, func() error { return e.Pools.Export(ctx, pool.Name, pool.GUID) }); err != nil {
		return errors.Join(foreign, err)
	}
	if foreign == nil {
		return nil
	}
	again.ReadOnly, again.Mount = false, true
	err := e.retryBusy(ctx, func() error { return e.Pools.Import(ctx, again) })
	return notOurs(pool.Name, errors.Join(foreign, err))
}

// importOwned imports the recorded pool, if the recorded devices hold it, without mounting anything.
func (e *Engine) importOwned(ctx context.Context, own result.Ownership) (zfs.Pool, bool, error) {
	searchIn := slices.DeleteFunc(searchIn(own.Devices), func(path string) bool {
		_, err := os.Stat(path)
		return err != nil
	})
	if len(searchIn) == 0 {
		return zfs.Pool{}, false, nil
	}
	pools, err := e.Pools.Importable(ctx, zfs.ImportScan{Dirs: searchIn})
	if err != nil {
		return zfs.Pool{}, false, err
	}
	for _, p := range pools {
		if p.Name != own.PoolName || p.Comment != own.PoolComment || own.PoolGUID != "" && p.GUID != own.PoolGUID {
			continue
		}
		if err := e.Pools.Import(ctx, zfs.Import{GUID: p.GUID, Name: p.Name, Dirs: searchIn}); err != nil {
			return zfs.Pool{}, false, err
		}
		return e.findPool(ctx, own.PoolName)
	}
	return zfs.Pool{}, false, nil
}

// searchIn is where an import finds the recorded devices: partitions, and the directories of files.
func searchIn(devices []result.OwnedDevice) []string {
	var paths []string
	for _, d := range devices {
		for _, path := range ownedPaths(d) {
			if d.File != "" {
				path = filepath.Dir(path)
			}
			paths = appendNew(paths, path)
		}
	}
	return paths
}

// prove returns nil if an imported pool is the recorded one: its GUID if that is known, its comment, its owner, all of its devices, and no dataset that is not
// ours.
func (e *Engine) prove(ctx context.Context, own result.Ownership, pool zfs.Pool) error {
	if own.PoolGUID != "" && pool.GUID != own.PoolGUID {
		return fmt.Errorf("its GUID is %s, recorded is %s", pool.GUID, own.PoolGUID)
	}
	if pool.Comment != own.PoolComment {
		return fmt.Errorf("its comment is %q, recorded is %q", pool.Comment, own.PoolComment)
	}
	properties, err := e.Pools.Get(ctx, pool.Name, zfs.OwnerProperty)
	if err != nil {
		return err
	}
	if owner := properties[zfs.OwnerProperty]; owner != own.BenchmarkUID {
		return fmt.Errorf("its owner is %q, recorded is %q", owner, own.BenchmarkUID)
	}
	if err := e.proveDevices(ctx, own, pool.Name); err != nil {
		return err
	}
	return e.proveDatasets(ctx, own, pool.Name)
}

// proveDatasets returns nil if a pool holds no dataset but the recorded ones.
func (e *Engine) proveDatasets(ctx context.Context, own result.Ownership, pool string) error {
	datasets, err := e.Pools.Datasets(ctx, pool)
	if err != nil {
		return err
	}
	for _, dataset := range datasets {
		if !slices.Contains(own.Datasets, dataset) {
			return fmt.Errorf("it holds %s, which this benchmark did not make", dataset)
		}
	}
	return nil
}

// proveDevices returns nil if every device of a pool is a recorded one, and the recorded disks still carry the recorded partition tables.
func (e *Engine) proveDevices(ctx context.Context, own result.Ownership, pool string) error {
	vdevs, err := e.Pools.VdevPaths(ctx, pool)
	if err != nil {
		return err
	}
	if len(vdevs) == 0 {
		return errors.New("its devices are not known")
	}
	for _, vdev := range vdevs {
		i := slices.IndexFunc(own.Devices, func(d result.OwnedDevice) bool {
			return slices.ContainsFunc(ownedPaths(d), func(path string) bool { return samePath(vdev, path) })
		})
		if i < 0 {
			return fmt.Errorf("its device %s is not a recorded one", vdev)
		}
		if own.Devices[i].File != "" {
			continue
		}
		if err := e.Disks.Prove(ctx, own.Devices[i]); err != nil {
			return err
		}
	}
	return nil
}

// ownedPaths are those of what a pool is built on: the file, or the disk's partitions by their GUIDs.
func ownedPaths(d result.OwnedDevice) []string {
	if d.File != "" {
		return []string{d.File}
	}
	var paths []string
	for _, p := range d.Partitions {
		paths = append(paths, "/dev/disk/by-partuuid/"+strings.ToLower(p.GUID))
	}
	return paths
}

// samePath says whether two paths are the same file or device.
func samePath(a, b string) bool {
	if a == b {
		return true
	}
	realA, errA := filepath.EvalSymlinks(a)
	realB, errB := filepath.EvalSymlinks(b)
	return errA == nil && errB == nil && realA == realB
}

// retryBusy repeats what fails only for now: a pool is busy until the kernel has let go of its last user, and the links to its devices are away for a moment
// when udev looks at a disk that has just been let go.
func (e *Engine) retryBusy(ctx context.Context, do func() error) error {
	var last error
	err := wait.PollUntilContextTimeout(ctx, e.busyPoll, busyPatience, true, func(context.Context) (bool, error) {
		last = do()
		var exit *hostexec.ExitError
		var hidden *zfs.NotImportableError
		if errors.As(last, &exit) && exit.Err == nil || errors.As(last, &hidden) || errors.Is(last, unix.EBUSY) {
			return false, nil
		}
		return true, last
	})
	if last != nil {
		return last
	}
	return err
}

func deviceNames(devices []result.OwnedDevice) string {
	var names []string
	for _, d := range devices {
		at := d.Path
		if d.File != "" {
			at = d.File
		}
		names = append(names, d.Name+" at "+at)
	}
	return strings.Join(names, ", ")
}
