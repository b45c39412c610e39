// SPDX-License-Identifier: Apache-2.0

package target

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/runner/failure"
)

// classStorage is a volume of a StorageClass that the benchmark does not own. The storage behind the volume is unknown,
// and only the volume is touched.
type classStorage struct {
	baseline
	*Host
}

func (classStorage) name(result.Ownership) string { return "the trial" }

func (s classStorage) Steps() []Step { return []Step{{"claim volume", s.provision}} }

// provision requests a new volume, and makes sure that it is empty: consent to a class is consent to new volumes of it.
// Until the volume is known to be empty, the record says that it has to stay.
func (s classStorage) provision(ctx context.Context, t *Target) error {
	volume, err := s.attachNew(ctx, t)
	doing := "claim the volume"
	own := s.Journal.Owned()
	if volume != "" && own != nil && own.Claim != nil && own.Claim.Keep {
		doing = fmt.Sprintf("use PersistentVolume %s, which stays as it is because it was not found empty "+
			"(see kubectl describe persistentvolume %s)", volume, volume)
	}
	return failure.Wrap(v1alpha1.ReasonClaimFailed, doing, err)
}

// attachNew attaches a volume that was not examined before. It returns the volume's name if that is known, also when it
// fails.
func (s classStorage) attachNew(ctx context.Context, t *Target) (volume string, err error) {
	answer, err := s.ask(ctx, t.Own, result.ClaimPresent)
	volume = answer.Facts.Volume
	if err != nil {
		return volume, err
	}
	t.Claimed = &answer.Facts
	if err := s.attachVolume(ctx, t, answer.PodUID, t.Variant.Baseline.IsBlockDevice()); err != nil {
		return volume, err
	}
	if err := s.proveEmpty(ctx, t); err != nil {
		return volume, err
	}
	if err := s.recordKeep(ctx, t, false); err != nil {
		return volume, err
	}
	return volume, s.takeIntoUse(ctx, t)
}

// recordKeep records whether the volume has to stay when its claim is removed.
func (s classStorage) recordKeep(ctx context.Context, t *Target, keep bool) error {
	own, claim := t.Own, *t.Own.Claim
	claim.Keep = keep
	own.Claim = &claim
	if err := s.Record(ctx, own); err != nil {
		return err
	}
	t.Own = own
	return nil
}

// attachAgain attaches the same volume from another pod.
func (s classStorage) attachAgain(ctx context.Context, t *Target) error {
	answer, err := s.ask(ctx, t.Own, result.ClaimPresent)
	if err != nil {
		return err
	}
	if t.Claimed != nil && answer.Facts != *t.Claimed {
		err := fmt.Errorf("it is now PersistentVolume %s, but was %s", answer.Facts.Volume, t.Claimed.Volume)
		return errors.Join(err, s.recordKeep(ctx, t, true))
	}
	t.Claimed = &answer.Facts
	if err := s.attachVolume(ctx, t, answer.PodUID, t.Variant.Baseline.IsBlockDevice()); err != nil {
		return err
	}
	return s.takeIntoUse(ctx, t)
}

// takeIntoUse lets tools write to the volume.
func (s classStorage) takeIntoUse(ctx context.Context, t *Target) (err error) {
	if err := s.giveVolume(ctx, t); err != nil || t.Device != "" {
		return err
	}
	s.mounted, err = s.Baselines.Source(s.Workspace.Target())
	return err
}

func (s classStorage) Sync(ctx context.Context, t *Target) error {
	if t.Device == "" {
		return s.syncFilesystem(ctx)
	}
	return failure.Wrap(v1alpha1.ReasonBaselineFailed, "sync the device",
		s.Bounded(ctx, func() error { return s.Baselines.SyncDevice(t.Device) }))
}

// EmptyCache lets the manager replace the pod, which unmounts the volume. That does not empty an ARC.
func (s classStorage) EmptyCache(ctx context.Context, t *Target) error {
	if err := s.detach(ctx, t); err != nil {
		return failure.Wrap(v1alpha1.ReasonClaimFailed, "empty the cache by removing the volume's pod", err)
	}
	return failure.Wrap(v1alpha1.ReasonClaimFailed, "mount the volume in a new pod", s.attachAgain(ctx, t))
}

// detach ends the use of the volume and removes the pod. It fails if that does not empty the cache.
func (s classStorage) detach(ctx context.Context, t *Target) error {
	if err := s.refuseARC(t); err != nil {
		return err
	}
	device := t.Device
	if err := s.detachVolume(ctx, t); err != nil {
		return err
	}
	if _, err := s.ask(ctx, t.Own, result.ClaimDetached); err != nil {
		return err
	}
	if device == "" {
		return nil
	}
	return s.Bounded(ctx, func() error { return s.Baselines.ForgetDevice(device) })
}

// refuseARC fails for a volume on ZFS: only exporting its pool would empty the ARC, and the pool is somebody else's.
func (s classStorage) refuseARC(t *Target) error {
	on := t.Device
	if on == "" {
		on = s.mounted
	}
	// The source of a ZFS mount is a dataset, not a path. NFS and the like have a colon.
	if strings.HasPrefix(on, "/dev/zd") || strings.HasPrefix(on, "/dev/zvol/") || on != "" && !strings.Contains(on, ":") &&
		!strings.HasPrefix(on, "/") {
		return errors.New("the volume is on ZFS (" + on +
			"), in a pool that is not the benchmark's, so its cache cannot be emptied: set cache to Warm")
	}
	return nil
}

func (s classStorage) Describe(ctx context.Context, t *Target, sample *result.Sample) error {
	facts := &result.BaselineFacts{Type: v1alpha1.KindPersistentVolume}
	err := s.Bounded(ctx, func() error {
		if t.Device != "" {
			return nil
		}
		now, err := s.Baselines.Mounted(s.Workspace.Target())
		facts.MountOptions, facts.SizeBytes, facts.AvailableBytes = now.Options, now.SizeBytes, now.AvailableBytes
		return err
	})
	if err == nil {
		facts.CacheBudgetBytes, err = s.Node.PageCacheBytes()
	}
	sample.Baseline = facts
	return failure.Wrap(v1alpha1.ReasonBaselineFailed, "read the facts of the volume", err)
}

// Broken knows only whether the pod still has the volume.
func (s classStorage) Broken(*Target) error { return s.held.check(s.Timings.KernelPatience) }

func (s classStorage) CheckUndisturbed(ctx context.Context, t *Target, w v1alpha1.Workload) error {
	if t.Device != "" {
		return nil
	}
	return s.checkWritable(ctx, w)
}

// Renew claims another volume. It is not known either whether that one is empty.
func (s classStorage) Renew(ctx context.Context, t *Target) error {
	err := s.detachVolume(ctx, t)
	if err == nil {
		_, err = s.ask(ctx, t.Own, result.ClaimAbsent)
	}
	if err != nil {
		return failure.Wrap(v1alpha1.ReasonClaimFailed, "remove the volume of the previous repetition", err)
	}
	t.Claimed = nil
	if err := s.recordKeep(ctx, t, true); err != nil {
		return err
	}
	return s.provision(ctx, t)
}

func (classStorage) ownsFilesystem() bool { return false }

func (s classStorage) Teardown(ctx context.Context, own *result.Ownership) error {
	return s.removeClaim(ctx, *own)
}
