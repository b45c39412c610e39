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

// filesystemOf is what a target's variant asks for.
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

// mount mounts it in the runner's own namespace.
func (s filesystemStorage) mount(ctx context.Context, t *Target) error {
	return s.mountFilesystem(ctx, t, t.baselineDevice())
}

// mountFilesystem mounts a target's filesystem, which is on a device. udev may be looking at the device that has just
// changed.
func (h *Host) mountFilesystem(ctx context.Context, t *Target, device string) error {
	spec, kind, err := filesystemOf(t)
	var how filesystem.Mount
	if err == nil {
		how, err = kind.Mount(spec)
	}
	if err == nil {
		mount := func() error { return h.Baselines.Mount(device, h.Workspace.Target(), how) }
		err = h.retryBusy(ctx, func() error { return h.Bounded(ctx, mount) })
		// A mount may be there although it did not quite succeed.
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

// EmptyCache unmounts the filesystem, which drops what is cached of its files, drops what is cached of the device under
// it, and mounts it again. The cache of the node's other filesystems stays.
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

// unmount unmounts the filesystem, and returns when the kernel has released it on all block devices: as long as a
// sandbox that has ended keeps it, it would come back with all that is cached of it.
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
			err = errors.New("the filesystem is not mounted any more")
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
	return failure.Wrap(v1alpha1.ReasonBaselineFailed, "remove the files of the repetition before", err)
}

// unmountFilesystem unmounts what this runner has mounted, or what is on a recorded partition or on another device that
// is proved to be ours, and nothing else.
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

// mountedOurs says whether anything is mounted where workloads run, which must be what this runner has mounted, or be
// on a recorded partition or on another device that is proved to be ours.
func (h *Host) mountedOurs(own result.Ownership, ours ...string) (bool, error) {
	source, err := h.Baselines.Source(h.Workspace.Target())
	if err != nil || source == "" {
		return false, err
	}
	// The kernel may name the device in another way than it was mounted, and udev takes its links away for a moment: then
	// only the runner itself knows.
	isOurs := func(device string) bool { return ownership.SamePath(source, device) }
	if source != h.mounted && !ownership.HasPath(own, source) && !slices.ContainsFunc(ours, isOurs) {
		return false, fmt.Errorf("%s is mounted at %s, which is not this benchmark's, and is not touched", source,
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

// Teardown unmounts it. What is in the partition then, the guard looks at.
func (s filesystemStorage) Teardown(ctx context.Context, own *result.Ownership) error {
	return s.teardownBaseline(ctx, *own, func(ctx context.Context, own result.Ownership) error {
		return s.unmount(ctx, own, ownership.AllPaths(own))
	})
}

// teardownBaseline does what a baseline needs before its devices are released, without those that are given up: unlike
// a pool it does not name them. Devices that are gone do not hold it up.
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
