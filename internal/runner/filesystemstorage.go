// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/filesystem"
	"zfsbench.io/operator/internal/monitor"
	"zfsbench.io/operator/internal/result"
)

// filesystemStorage is a filesystem other than ZFS, in one partition.
type filesystemStorage struct{ *Engine }

func (s filesystemStorage) steps() []setUpStep {
	return []setUpStep{{"make filesystem", s.create}, {"mount", s.mount}}
}

// create makes the filesystem with the recorded UUID.
func (s filesystemStorage) create(ctx context.Context, t *target) error {
	doing := "make the " + t.own.Baseline + " filesystem"
	kind, spec, err := filesystemOf(t)
	if err != nil {
		return step(v1alpha1.ReasonBaselineFailed, doing, err)
	}
	uuid := recordedUUID(t.own, spec.Device)
	if uuid == "" {
		return step(v1alpha1.ReasonBaselineFailed, doing, errors.New("no UUID is recorded for it"))
	}
	if t.made, err = kind.MakeArgv(spec, uuid, t.paths[spec.Device]); err != nil {
		return step(v1alpha1.ReasonBaselineFailed, doing, err)
	}
	return step(v1alpha1.ReasonBaselineFailed, doing, s.Baselines.Make(ctx, t.made))
}

// recordedUUID is that of the filesystem in the partition with a name; empty if there is none.
func recordedUUID(own result.Ownership, name string) string {
	for _, d := range own.Devices {
		for _, p := range d.Partitions {
			if p.Name == name {
				return p.FilesystemUUID
			}
		}
	}
	return ""
}

// filesystemOf is what a target's variant asks for.
func filesystemOf(t *target) (filesystem.Filesystem, v1alpha1.FilesystemBaseline, error) {
	if t.variant.Baseline == nil || t.variant.Baseline.Filesystem == nil {
		return filesystem.Filesystem{}, v1alpha1.FilesystemBaseline{}, errors.New("the variant has none")
	}
	spec := *t.variant.Baseline.Filesystem
	kind, known := filesystem.Of(spec.Type)
	if !known {
		return filesystem.Filesystem{}, spec, fmt.Errorf("this runner does not know %s", spec.Type)
	}
	return kind, spec, nil
}

// mount mounts it in the runner's own namespace. udev may be looking at the partition that has just changed.
func (s filesystemStorage) mount(ctx context.Context, t *target) error {
	kind, spec, err := filesystemOf(t)
	var how filesystem.Mount
	if err == nil {
		how, err = kind.Mount(spec)
	}
	if err == nil {
		mount := func() error { return s.Baselines.Mount(t.paths[spec.Device], s.ws.target(), how) }
		err = s.retryBusy(ctx, func() error { return s.bounded(ctx, mount) })
		// Also of a mount that is there and did not quite succeed.
		source, errSource := s.Baselines.Source(s.ws.target())
		s.mounted, err = source, errors.Join(err, errSource)
	}
	return step(v1alpha1.ReasonBaselineFailed, "mount the filesystem", err)
}

func (s filesystemStorage) sync(ctx context.Context, _ *target) error {
	err := s.bounded(ctx, func() error { return s.Baselines.SyncMount(s.ws.target()) })
	return step(v1alpha1.ReasonBaselineFailed, "sync the filesystem", err)
}

// emptyCache unmounts the filesystem, which drops what is of its files, drops what the kernel holds besides, and mounts it again.
func (s filesystemStorage) emptyCache(ctx context.Context, t *target) error {
	const doing = "empty the cache by unmounting the filesystem"
	if err := s.unmount(ctx, t.own); err != nil {
		return step(v1alpha1.ReasonBaselineFailed, doing, err)
	}
	if err := s.bounded(ctx, s.Baselines.DropCaches); err != nil {
		return step(v1alpha1.ReasonBaselineFailed, doing, err)
	}
	return s.mount(ctx, t)
}

// unmount unmounts what this runner has mounted, or what is on a recorded partition, and nothing else. It returns when the kernel has let go of the filesystem: as long as a sandbox that has ended keeps
// it, it would come back with all that is cached of it.
func (s filesystemStorage) unmount(ctx context.Context, own result.Ownership) error {
	if err := s.unmountHere(ctx, own); err != nil {
		return err
	}
	for _, d := range own.Devices {
		for _, path := range ownedPaths(d) {
			idle := func() error { return s.Baselines.Idle(path) }
			if err := s.retryBusy(ctx, func() error { return s.bounded(ctx, idle) }); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s filesystemStorage) unmountHere(ctx context.Context, own result.Ownership) error {
	return s.retryBusy(ctx, func() error {
		return s.bounded(ctx, func() error {
			source, err := s.Baselines.Source(s.ws.target())
			if err != nil || source == "" {
				return err
			}
			// The kernel may name the device in another way than it was mounted, and udev takes its links away for a moment: then only the runner itself knows.
			if source != s.mounted && !isOwned(own, source) {
				return fmt.Errorf("%s is mounted at %s, which is not this benchmark's, and is not touched", source, s.ws.target())
			}
			return s.Mounts.Unmount(s.ws.target())
		})
	})
}

// isOwned says whether a path is that of a recorded partition.
func isOwned(own result.Ownership, path string) bool {
	return slices.ContainsFunc(own.Devices, func(d result.OwnedDevice) bool {
		return slices.ContainsFunc(ownedPaths(d), func(owned string) bool { return samePath(path, owned) })
	})
}

func (filesystemStorage) directBytes(*target) (monitor.Bytes, error) { return monitor.Bytes{}, nil }

func (s filesystemStorage) describe(ctx context.Context, t *target, sample *result.Sample) error {
	facts := &result.BaselineFacts{Type: t.own.Baseline, MadeWith: t.made}
	err := s.bounded(ctx, func() error {
		now, err := s.Baselines.Mounted(s.ws.target())
		facts.MountOptions, facts.SizeBytes, facts.AvailableBytes = now.Options, now.SizeBytes, now.AvailableBytes
		return err
	})
	if err == nil {
		facts.CacheBudgetBytes, err = s.Node.PageCacheBytes()
	}
	if err != nil {
		return step(v1alpha1.ReasonBaselineFailed, "read the facts of the filesystem", err)
	}
	sample.Baseline = facts
	return nil
}

// broken is a *goneError or nil.
func (s filesystemStorage) broken(t *target) error { return s.lostDevices(t) }

// checkUndisturbed fails if the kernel takes the filesystem for damaged: it then takes no writes any more.
func (s filesystemStorage) checkUndisturbed(ctx context.Context, _ *target, w v1alpha1.Workload) error {
	var options string
	err := s.bounded(ctx, func() error {
		now, err := s.Baselines.Mounted(s.ws.target())
		options = now.Options
		return err
	})
	if err == nil && slices.Contains(strings.Split(options, ","), "ro") {
		err = errors.New("the filesystem has become read-only")
	}
	return step(v1alpha1.ReasonBaselineFailed, fmt.Sprintf("measure workload %s undisturbed", w.Name), err)
}

// takeAway unmounts it. What is in the partition then, the guard looks at.
func (s filesystemStorage) takeAway(ctx context.Context, own *result.Ownership) error {
	gone := goneDevices(*own)
	if gone != nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, gonePatience, gone)
		defer cancel()
	}
	if err := s.unmount(ctx, *own); err != nil {
		return step(v1alpha1.ReasonCleanupFailed, "clean up; "+whatIs(*own)+" is left on "+deviceNames(own.Devices), errors.Join(gone, err))
	}
	return nil
}
