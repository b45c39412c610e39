// SPDX-License-Identifier: Apache-2.0

package target

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/runner/failure"
	"zfsbench.io/operator/internal/runner/ownership"
	"zfsbench.io/operator/internal/storage/filesystem"
)

// filesystemStorage is a filesystem other than ZFS, in one partition or on an md array.
type filesystemStorage struct {
	baseline
	*Host
}

func (filesystemStorage) name(own result.Ownership) string {
	return "the " + own.Baseline + " filesystem"
}

func (s filesystemStorage) Steps() []Step {
	return []Step{{"make filesystem", s.create}, {"mount", s.mount}}
}

// create makes the filesystem with the recorded UUID.
func (s filesystemStorage) create(ctx context.Context, t *Target) error {
	uuid := ownership.FilesystemUUID(t.Own, t.Variant.Baseline.Devices()[0])
	if uuid == "" {
		return failure.Wrap(v1alpha1.ReasonBaselineFailed, "make the "+t.Own.Baseline+" filesystem",
			errors.New("no UUID is recorded for it"))
	}
	return s.makeFilesystem(ctx, t, uuid, t.baselineDevice())
}

// makeFilesystem makes a target's filesystem on a device.
func (h *Host) makeFilesystem(ctx context.Context, t *Target, uuid, device string) error {
	spec, kind, err := filesystemOf(t)
	if err == nil {
		t.made, err = kind.MakeArgv(spec, uuid, device)
	}
	if err == nil {
		t.Times.FilesystemMake, err = h.took(func() error { return h.Baselines.Make(ctx, t.made) })
	}
	return failure.Wrap(v1alpha1.ReasonBaselineFailed, "make the "+string(spec.Type)+" filesystem", err)
}

// filesystemOf is the filesystem that a target's variant requests.
func filesystemOf(t *Target) (v1alpha1.FilesystemSpec, filesystem.Filesystem, error) {
	spec := t.Variant.Filesystem()
	if spec == nil {
		return v1alpha1.FilesystemSpec{}, filesystem.Filesystem{}, errors.New("the variant has none")
	}
	kind, known := filesystem.Of(spec.Type)
	if !known {
		return *spec, kind, fmt.Errorf("this runner does not know %s", spec.Type)
	}
	return *spec, kind, nil
}

// mount mounts it in the runner's own mount namespace.
func (s filesystemStorage) mount(ctx context.Context, t *Target) error {
	return s.mountFilesystem(ctx, t, t.baselineDevice())
}

// mountFilesystem mounts a target's filesystem, which is on a device. It retries, because udev may have the device open
// after a change.
func (h *Host) mountFilesystem(ctx context.Context, t *Target, device string) error {
	spec, kind, err := filesystemOf(t)
	var how filesystem.Mount
	if err == nil {
		how, err = kind.Mount(spec)
	}
	if err == nil {
		mount := func() error { return h.Baselines.Mount(device, h.Workspace.Target(), how) }
		err = h.retryBusy(ctx, func() error { return h.Bounded(ctx, mount) })
		// The filesystem may be mounted even if Mount returned an error.
		source, errSource := h.Baselines.Source(h.Workspace.Target())
		h.mounted, err = source, errors.Join(err, errSource)
	}
	return failure.Wrap(v1alpha1.ReasonBaselineFailed, "mount the filesystem", err)
}

func (s filesystemStorage) Sync(ctx context.Context, _ *Target) error { return s.syncFilesystem(ctx) }

func (h *Host) syncFilesystem(ctx context.Context) error {
	err := h.Bounded(ctx, func() error { return h.Baselines.SyncMount(h.Workspace.Target()) })
	return failure.Wrap(v1alpha1.ReasonBaselineFailed, "sync the filesystem", err)
}

// EmptyCache unmounts the filesystem, which drops its files from the cache, drops the device under it from the cache,
// and mounts the filesystem again. The cache of the node's other filesystems stays.
func (s filesystemStorage) EmptyCache(ctx context.Context, t *Target) error {
	const doing = "empty the cache by unmounting the filesystem"
	if err := s.unmount(ctx, t.Own, t.blockDevices()); err != nil {
		return failure.Wrap(v1alpha1.ReasonBaselineFailed, doing, err)
	}
	forget := func() error { return s.Baselines.ForgetDevice(t.baselineDevice()) }
	if err := s.Bounded(ctx, forget); err != nil {
		return failure.Wrap(v1alpha1.ReasonBaselineFailed, doing, err)
	}
	return s.mount(ctx, t)
}

// unmount unmounts the filesystem, and returns when the kernel has released it on all block devices. As long as an
// ended sandbox still holds it, mounting it again would bring back everything that is cached of it.
func (s filesystemStorage) unmount(ctx context.Context, own result.Ownership, devices []string) error {
	if err := s.unmountFilesystem(ctx, own, devices...); err != nil {
		return err
	}
	for _, path := range devices {
		idle := func() error { return s.Baselines.Idle(path) }
		if err := s.retryBusy(ctx, func() error { return s.Bounded(ctx, idle) }); err != nil {
			return err
		}
	}
	return nil
}

// Renew removes the files, and discards their space if disks are discarded for this benchmark.
func (s filesystemStorage) Renew(ctx context.Context, t *Target) error {
	err := s.Bounded(ctx, func() error {
		mounted, err := s.mountedOurs(t.Own, t.blockDevices()...)
		if err == nil && !mounted {
			err = errors.New("the filesystem is no longer mounted")
		}
		if err == nil {
			err = s.Baselines.Empty(s.Workspace.Target())
		}
		if err == nil {
			err = s.Baselines.SyncMount(s.Workspace.Target())
		}
		if err == nil && anyDiscarded(t.Prepared) {
			_, err = s.Baselines.TrimMount(s.Workspace.Target())
		}
		return err
	})
	return failure.Wrap(v1alpha1.ReasonBaselineFailed, "remove the files of the previous repetition", err)
}

// unmountFilesystem unmounts what is mounted at the workloads' directory, but only if mountedOurs proves it to be ours.
func (h *Host) unmountFilesystem(ctx context.Context, own result.Ownership, ours ...string) error {
	return h.retryBusy(ctx, func() error {
		return h.Bounded(ctx, func() error {
			mounted, err := h.mountedOurs(own, ours...)
			if err != nil || !mounted {
				return err
			}
			return h.Mounts.Unmount(h.Workspace.Target())
		})
	})
}

// mountedOurs says whether anything is mounted at the workloads' directory. It must be what this runner has mounted, or
// be on a recorded partition, or on another device (ours) that is proved to be the benchmark's; else it is an error.
func (h *Host) mountedOurs(own result.Ownership, ours ...string) (bool, error) {
	source, err := h.Baselines.Source(h.Workspace.Target())
	if err != nil || source == "" {
		return false, err
	}
	// The kernel's name of the device may differ from the path that was mounted, and udev briefly removes the links that
	// would prove them equal. Then only h.mounted helps.
	isOurs := func(device string) bool { return ownership.SamePath(source, device) }
	if source != h.mounted && !ownership.HasPath(own, source) && !slices.ContainsFunc(ours, isOurs) {
		return false, fmt.Errorf("%s is mounted at %s; it is not this benchmark's and is not touched", source,
			h.Workspace.Target())
	}
	return true, nil
}

func (s filesystemStorage) Describe(ctx context.Context, t *Target, sample *result.Sample) error {
	return s.describeFilesystem(ctx, t, sample)
}

func (h *Host) describeFilesystem(ctx context.Context, t *Target, sample *result.Sample) error {
	facts := &result.BaselineFacts{Type: string(t.Variant.Filesystem().Type), MadeWith: t.made}
	err := h.Bounded(ctx, func() error {
		now, err := h.Baselines.Mounted(h.Workspace.Target())
		facts.MountOptions, facts.SizeBytes, facts.AvailableBytes = now.Options, now.SizeBytes, now.AvailableBytes
		return err
	})
	if err == nil {
		facts.CacheBudgetBytes, err = h.Node.PageCacheBytes()
	}
	if err != nil {
		return failure.Wrap(v1alpha1.ReasonBaselineFailed, "read the facts of the filesystem", err)
	}
	sample.Baseline = facts
	return nil
}

// Broken is a *GoneError or nil.
func (s filesystemStorage) Broken(t *Target) error { return s.lostDevices(t) }

func (s filesystemStorage) CheckUndisturbed(ctx context.Context, _ *Target, w v1alpha1.Workload) error {
	return s.checkWritable(ctx, w)
}

// checkWritable fails if the filesystem is read-only: the kernel makes it so when it finds damage.
func (h *Host) checkWritable(ctx context.Context, w v1alpha1.Workload) error {
	var options string
	err := h.Bounded(ctx, func() error {
		now, err := h.Baselines.Mounted(h.Workspace.Target())
		options = now.Options
		return err
	})
	if err == nil && slices.Contains(strings.Split(options, ","), "ro") {
		err = errors.New("the filesystem has become read-only")
	}
	return failure.Wrap(v1alpha1.ReasonBaselineFailed, fmt.Sprintf("measure workload %s undisturbed", w.Name), err)
}

// Teardown unmounts it. The guard then checks what is in the partition.
func (s filesystemStorage) Teardown(ctx context.Context, own *result.Ownership) error {
	return s.teardownBaseline(ctx, *own, func(ctx context.Context, own result.Ownership) error {
		return s.unmount(ctx, own, ownership.AllPaths(own))
	})
}

// teardownBaseline runs do, which is what a baseline needs before its devices are released. Devices that were given up
// are left out: unlike a pool, a baseline does not name its devices. If devices are lost, it does not wait for ever.
func (h *Host) teardownBaseline(ctx context.Context, own result.Ownership,
	do func(context.Context, result.Ownership) error) error {
	own.Devices = ownership.Reachable(own.Devices)
	ctx, cancel := h.untilGone(ctx, own)
	defer cancel()
	if err := do(ctx, own); err != nil {
		doing := "clean up; " + h.Describe(own) + " is left on " + ownership.Names(own.Devices)
		return failure.Wrap(v1alpha1.ReasonCleanupFailed, doing, h.withGone(ctx, own, err))
	}
	return nil
}
