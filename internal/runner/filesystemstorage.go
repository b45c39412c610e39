// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"zfsbench.io/operator/internal/runner/failure"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/runner/ownership"
	"zfsbench.io/operator/internal/storage/filesystem"
)

// filesystemStorage is a filesystem other than ZFS, in one partition or on an md array.
type filesystemStorage struct {
	baseline
	*host
}

func (s filesystemStorage) steps() []setUpStep {
	return []setUpStep{{"make filesystem", s.create}, {"mount", s.mount}}
}

// create makes the filesystem with the recorded UUID.
func (s filesystemStorage) create(ctx context.Context, t *target) error {
	uuid := ownership.FilesystemUUID(t.own, t.variant.Baseline.Devices()[0])
	if uuid == "" {
		return failure.Wrap(v1alpha1.ReasonBaselineFailed, "make the "+t.own.Baseline+" filesystem",
			errors.New("no UUID is recorded for it"))
	}
	return s.makeFilesystem(ctx, t, uuid, t.baselineDevice())
}

// makeFilesystem makes a target's filesystem on a device.
func (h *host) makeFilesystem(ctx context.Context, t *target, uuid, device string) error {
	spec, kind, err := filesystemOf(t)
	if err == nil {
		t.made, err = kind.MakeArgv(spec, uuid, device)
	}
	if err == nil {
		t.times.FilesystemMake, err = h.took(func() error { return h.Baselines.Make(ctx, t.made) })
	}
	return failure.Wrap(v1alpha1.ReasonBaselineFailed, "make the "+string(spec.Type)+" filesystem", err)
}

// filesystemOf is what a target's variant asks for.
func filesystemOf(t *target) (v1alpha1.FilesystemSpec, filesystem.Filesystem, error) {
	spec := t.variant.Filesystem()
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
func (s filesystemStorage) mount(ctx context.Context, t *target) error {
	return s.mountFilesystem(ctx, t, t.baselineDevice())
}

// mountFilesystem mounts a target's filesystem, which is on a device. udev may be looking at the device that has just
// changed.
func (h *host) mountFilesystem(ctx context.Context, t *target, device string) error {
	spec, kind, err := filesystemOf(t)
	var how filesystem.Mount
	if err == nil {
		how, err = kind.Mount(spec)
	}
	if err == nil {
		mount := func() error { return h.Baselines.Mount(device, h.ws.Target(), how) }
		err = h.retryBusy(ctx, func() error { return h.bounded(ctx, mount) })
		// Also of a mount that is there and did not quite succeed.
		source, errSource := h.Baselines.Source(h.ws.Target())
		h.mounted, err = source, errors.Join(err, errSource)
	}
	return failure.Wrap(v1alpha1.ReasonBaselineFailed, "mount the filesystem", err)
}

func (s filesystemStorage) sync(ctx context.Context, _ *target) error { return s.syncFilesystem(ctx) }

func (h *host) syncFilesystem(ctx context.Context) error {
	err := h.bounded(ctx, func() error { return h.Baselines.SyncMount(h.ws.Target()) })
	return failure.Wrap(v1alpha1.ReasonBaselineFailed, "sync the filesystem", err)
}

// emptyCache unmounts the filesystem, with which goes all that is cached of its files, drops what is cached of the
// device under it, and mounts it again. What is cached of the node's other filesystems is others'.
func (s filesystemStorage) emptyCache(ctx context.Context, t *target) error {
	const doing = "empty the cache by unmounting the filesystem"
	if err := s.unmount(ctx, t.own, t.blockDevices()); err != nil {
		return failure.Wrap(v1alpha1.ReasonBaselineFailed, doing, err)
	}
	forget := func() error { return s.Baselines.ForgetDevice(t.baselineDevice()) }
	if err := s.bounded(ctx, forget); err != nil {
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
		if err := s.retryBusy(ctx, func() error { return s.bounded(ctx, idle) }); err != nil {
			return err
		}
	}
	return nil
}

// renew removes the files, and discards their space if disks are discarded for this benchmark.
func (s filesystemStorage) renew(ctx context.Context, t *target) error {
	err := s.bounded(ctx, func() error {
		mounted, err := s.mountedOurs(t.own, t.blockDevices()...)
		if err == nil && !mounted {
			err = errors.New("the filesystem is not mounted any more")
		}
		if err == nil {
			err = s.Baselines.Empty(s.ws.Target())
		}
		if err == nil {
			err = s.Baselines.SyncMount(s.ws.Target())
		}
		if err == nil && anyDiscarded(t.prepared) {
			_, err = s.Baselines.TrimMount(s.ws.Target())
		}
		return err
	})
	return failure.Wrap(v1alpha1.ReasonBaselineFailed, "remove the files of the repetition before", err)
}

// unmountFilesystem unmounts what this runner has mounted, or what is on a recorded partition or on another device that
// is proved to be ours, and nothing else.
func (h *host) unmountFilesystem(ctx context.Context, own result.Ownership, ours ...string) error {
	return h.retryBusy(ctx, func() error {
		return h.bounded(ctx, func() error {
			mounted, err := h.mountedOurs(own, ours...)
			if err != nil || !mounted {
				return err
			}
			return h.Mounts.Unmount(h.ws.Target())
		})
	})
}

// mountedOurs says whether anything is mounted where workloads run, which must be what this runner has mounted, or be
// on a recorded partition or on another device that is proved to be ours.
func (h *host) mountedOurs(own result.Ownership, ours ...string) (bool, error) {
	source, err := h.Baselines.Source(h.ws.Target())
	if err != nil || source == "" {
		return false, err
	}
	// The kernel may name the device in another way than it was mounted, and udev takes its links away for a moment: then
	// only the runner itself knows.
	isOurs := func(device string) bool { return ownership.SamePath(source, device) }
	if source != h.mounted && !ownership.HasPath(own, source) && !slices.ContainsFunc(ours, isOurs) {
		return false, fmt.Errorf("%s is mounted at %s, which is not this benchmark's, and is not touched", source,
			h.ws.Target())
	}
	return true, nil
}

func (s filesystemStorage) describe(ctx context.Context, t *target, sample *result.Sample) error {
	return s.describeFilesystem(ctx, t, sample)
}

func (h *host) describeFilesystem(ctx context.Context, t *target, sample *result.Sample) error {
	facts := &result.BaselineFacts{Type: string(t.variant.Filesystem().Type), MadeWith: t.made}
	err := h.bounded(ctx, func() error {
		now, err := h.Baselines.Mounted(h.ws.Target())
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

// broken is a *goneError or nil.
func (s filesystemStorage) broken(t *target) error { return s.lostDevices(t) }

func (s filesystemStorage) checkUndisturbed(ctx context.Context, _ *target, w v1alpha1.Workload) error {
	return s.checkWritable(ctx, w)
}

// checkWritable fails if the kernel takes the filesystem for damaged: it then takes no writes any more.
func (h *host) checkWritable(ctx context.Context, w v1alpha1.Workload) error {
	var options string
	err := h.bounded(ctx, func() error {
		now, err := h.Baselines.Mounted(h.ws.Target())
		options = now.Options
		return err
	})
	if err == nil && slices.Contains(strings.Split(options, ","), "ro") {
		err = errors.New("the filesystem has become read-only")
	}
	return failure.Wrap(v1alpha1.ReasonBaselineFailed, fmt.Sprintf("measure workload %s undisturbed", w.Name), err)
}

// teardown unmounts it. What is in the partition then, the guard looks at.
func (s filesystemStorage) teardown(ctx context.Context, own *result.Ownership) error {
	return s.teardownBaseline(ctx, *own, func(ctx context.Context, own result.Ownership) error {
		return s.unmount(ctx, own, ownership.AllPaths(own))
	})
}

// teardownBaseline does what a baseline needs before its devices are released, without those that are given up: unlike
// a pool it does not name them. Devices that are gone do not hold it up.
func (h *host) teardownBaseline(ctx context.Context, own result.Ownership,
	do func(context.Context, result.Ownership) error) error {
	own.Devices = ownership.Reachable(own.Devices)
	ctx, cancel := h.untilGone(ctx, own)
	defer cancel()
	if err := do(ctx, own); err != nil {
		doing := "clean up; " + ownership.Describe(own) + " is left on " + ownership.Names(own.Devices)
		return failure.Wrap(v1alpha1.ReasonCleanupFailed, doing, withGone(ctx, own, err))
	}
	return nil
}
