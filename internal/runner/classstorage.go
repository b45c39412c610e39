// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/monitor"
	"zfsbench.io/operator/internal/result"
)

// classStorage is a volume of a StorageClass that somebody else has made: what it is on is not known, and nothing of it is touched but the volume.
type classStorage struct{ *Engine }

func (s classStorage) steps() []setUpStep { return []setUpStep{{"claim volume", s.provision}} }

// provision asks for a new volume, and makes sure that it holds nothing: consent to a class is consent to new volumes of it.
func (s classStorage) provision(ctx context.Context, t *target) error {
	err := s.attach(ctx, t, true)
	var used *usedError
	if errors.As(err, &used) {
		return s.keep(ctx, t, used)
	}
	return step(v1alpha1.ReasonClaimFailed, "claim the volume", err)
}

// attach asks for the volume and takes it over from its pod.
func (s classStorage) attach(ctx context.Context, t *target, isNew bool) error {
	answer, err := s.ask(ctx, t.own, result.ClaimPresent)
	if err != nil {
		return err
	}
	if !isNew && t.claimed != nil && answer.Facts != *t.claimed {
		return fmt.Errorf("it is now PersistentVolume %s, and was %s", answer.Facts.Volume, t.claimed.Volume)
	}
	t.claimed = &answer.Facts
	if err := s.attachVolume(ctx, t, answer.PodUID, t.variant.Baseline.IsBlockDevice(), isNew); err != nil {
		return err
	}
	if t.device == "" {
		s.mounted, err = s.Baselines.Source(s.ws.target())
	}
	return err
}

// keep records that the volume must stay when its claim goes, and fails. Where that cannot be recorded, the manager is asked at once.
func (s classStorage) keep(ctx context.Context, t *target, used *usedError) error {
	claim := *t.own.Claim
	claim.Keep = true
	t.own.Claim = &claim
	err := step(v1alpha1.ReasonClaimFailed, "use PersistentVolume "+t.claimed.Volume+", which stays as it is", used)
	if failed := s.record(ctx, t.own); failed != nil {
		return errors.Join(err, failed, s.removeClaim(ctx, t.own))
	}
	return err
}

func (s classStorage) sync(ctx context.Context, t *target) error {
	if t.device == "" {
		return s.syncFilesystem(ctx)
	}
	return step(v1alpha1.ReasonBaselineFailed, "sync the device", s.bounded(ctx, func() error { return s.Baselines.SyncDevice(t.device) }))
}

// emptyCache takes the pod away and has it made anew, which unmounts the volume. That does not empty an ARC.
func (s classStorage) emptyCache(ctx context.Context, t *target) error {
	if err := s.detach(ctx, t); err != nil {
		return step(v1alpha1.ReasonClaimFailed, "empty the cache by taking the pod from the volume", err)
	}
	return step(v1alpha1.ReasonClaimFailed, "have the volume mounted again", s.attach(ctx, t, false))
}

// detach lets go of the volume and takes the pod away, if the cache that it leaves behind is one that this empties.
func (s classStorage) detach(ctx context.Context, t *target) error {
	if err := s.refuseARC(t); err != nil {
		return err
	}
	device := t.device
	if err := s.detachVolume(ctx, t); err != nil {
		return err
	}
	if _, err := s.ask(ctx, t.own, result.ClaimDetached); err != nil {
		return err
	}
	if device == "" {
		return nil
	}
	return s.bounded(ctx, func() error { return s.Baselines.ForgetDevice(device) })
}

// refuseARC fails for a volume on ZFS: its pool is somebody else's, and only an export would empty the ARC.
func (s classStorage) refuseARC(t *target) error {
	on := t.device
	if on == "" {
		on = s.mounted
	}
	// A dataset is no path.
	if strings.HasPrefix(on, "/dev/zd") || strings.HasPrefix(on, "/dev/zvol/") || on != "" && !strings.Contains(on, ":") && !strings.HasPrefix(on, "/") {
		return errors.New("the volume is on ZFS (" + on + "), in a pool that is not the benchmark's, so its cache cannot be emptied: set cache to Warm")
	}
	return nil
}

func (classStorage) directBytes(*target) (monitor.Moved, error) { return monitor.Moved{}, nil }

func (s classStorage) describe(ctx context.Context, t *target, sample *result.Sample) error {
	facts := &result.BaselineFacts{Type: v1alpha1.KindPersistentVolume}
	err := s.bounded(ctx, func() error {
		if t.device != "" {
			return nil
		}
		now, err := s.Baselines.Mounted(s.ws.target())
		facts.MountOptions, facts.SizeBytes, facts.AvailableBytes = now.Options, now.SizeBytes, now.AvailableBytes
		return err
	})
	if err == nil {
		facts.CacheBudgetBytes, err = s.Node.PageCacheBytes()
	}
	sample.Baseline = facts
	return step(v1alpha1.ReasonBaselineFailed, "read the facts of the volume", err)
}

// broken knows only whether the pod still has the volume.
func (s classStorage) broken(*target) error { return s.held.check() }

func (s classStorage) checkUndisturbed(ctx context.Context, t *target, w v1alpha1.Workload) error {
	if t.device != "" {
		return nil
	}
	return s.checkWritable(ctx, w)
}

// renew claims another volume.
func (s classStorage) renew(ctx context.Context, t *target) error {
	err := s.detachVolume(ctx, t)
	if err == nil {
		_, err = s.ask(ctx, t.own, result.ClaimAbsent)
	}
	if err != nil {
		return step(v1alpha1.ReasonClaimFailed, "remove the volume of the repetition before", err)
	}
	return s.provision(ctx, t)
}

func (s classStorage) takeAway(ctx context.Context, own *result.Ownership) error {
	return s.removeClaim(ctx, *own)
}

// claimsCheck wants a manager that makes volumes. What the driver lacks, the manager has looked at before it let the benchmark start.
func (e *Engine) claimsCheck() result.Check {
	if e.Claims == nil || e.PodVolumes == nil {
		return check(checkClaims, result.OutcomeFailed, "persistent volumes need Kubernetes: apply the benchmark to a cluster")
	}
	var variants []string
	for _, v := range e.plan.Variants {
		if v.Claims() {
			variants = append(variants, v.Name)
		}
	}
	slices.Sort(variants)
	return check(checkClaims, result.OutcomePassed, "the manager claims the volumes of %s", strings.Join(variants, ", "))
}
