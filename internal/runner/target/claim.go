// SPDX-License-Identifier: Apache-2.0

package target

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/runner/failure"
	"zfsbench.io/operator/internal/runner/ownership"
	"zfsbench.io/operator/internal/storage/csi/localpv"
	"zfsbench.io/operator/internal/storage/zfs"
)

// claimStorage is a volume that the CSI driver makes in the benchmark's pool, mounted by a pod. The driver removes the
// volume before the runner destroys the pool.
type claimStorage struct{ poolStorage }

func (s claimStorage) Steps() []Step {
	return []Step{{"create pool", s.create}, {"create dataset", s.createParent}, {"claim volume", s.provision}}
}

// createParent makes the dataset from which volumes inherit what the driver does not set.
func (s claimStorage) createParent(ctx context.Context, t *Target) error {
	err := s.Pools.CreateFilesystem(ctx, t.parent(), TextProperties(localpv.ForParent(t.Variant.Dataset.Properties)))
	return failure.Wrap(v1alpha1.ReasonPoolFailed, "create the dataset for volumes", err)
}

// provision requests the volume, makes sure that it is in the benchmark's own dataset, and records it before anything
// is written to it: a pool with a dataset that is not recorded is never destroyed.
func (s claimStorage) provision(ctx context.Context, t *Target) error {
	const doing = "claim the volume"
	answer, err := s.ask(ctx, t.Own, result.ClaimPresent)
	if err == nil {
		err = checkVolume(t, answer.Facts)
	}
	if err != nil {
		return failure.Wrap(v1alpha1.ReasonClaimFailed, doing, err)
	}
	t.Claimed = &answer.Facts
	if !slices.Contains(t.Own.Datasets, answer.Facts.Dataset) {
		t.Own.Datasets = append(t.Own.Datasets, answer.Facts.Dataset)
	}
	if err := s.Record(ctx, t.Own); err != nil {
		return err
	}
	return s.attach(ctx, t, answer)
}

// checkVolume fails for a volume that is not right below the benchmark's own dataset.
func checkVolume(t *Target, facts result.ClaimFacts) error {
	name, found := strings.CutPrefix(facts.Dataset, t.parent()+"/")
	if !found || name == "" || strings.ContainsAny(name, "/@#") {
		return fmt.Errorf("the driver has made %q, which is not in %s", facts.Dataset, t.parent())
	}
	return nil
}

// attach gives the workloads the pod's mount or device, if that is the recorded volume.
func (s claimStorage) attach(ctx context.Context, t *Target, answer result.ClaimAnswer) error {
	err := s.attachVolume(ctx, t, answer.PodUID, t.Variant.Dataset.IsBlockDevice())
	if err == nil {
		err = s.proveVolume(t)
	}
	if err == nil {
		err = s.giveVolume(ctx, t)
	}
	return failure.Wrap(v1alpha1.ReasonClaimFailed, "use the volume as the pod has it", err)
}

func (s claimStorage) proveVolume(t *Target) error {
	device := t.Device
	if device == "" {
		source, err := s.Baselines.Source(s.Workspace.Target())
		if err != nil {
			return err
		}
		if t.Variant.Filesystem() == nil {
			if source != t.dataset() {
				return fmt.Errorf("the pod has %s mounted, not %s", source, t.dataset())
			}
			return nil
		}
		device, s.mounted = source, source
	}
	name, err := s.Mounts.VolumeName(device)
	if err == nil && name != t.dataset() {
		err = fmt.Errorf("the pod has %s, which is volume %s, not %s", device, name, t.dataset())
	}
	return err
}

// EmptyCache removes the pod, exports and imports the pool, and lets the manager make a new pod. The export empties the
// ARC, and the unmount empties the page cache.
func (s claimStorage) EmptyCache(ctx context.Context, t *Target) error {
	if err := s.detach(ctx, t); err != nil {
		return err
	}
	if err := s.dropFromPageCache(t); err != nil {
		return failure.Wrap(v1alpha1.ReasonPoolFailed, "empty the page cache", err)
	}
	return s.reattach(ctx, t)
}

// detach removes the pod and exports the pool.
func (s claimStorage) detach(ctx context.Context, t *Target) error {
	if err := s.proveDatasets(ctx, t.Own, t.Pool()); err != nil {
		return failure.Wrap(v1alpha1.ReasonPoolFailed, "export the pool", err)
	}
	if err := s.detachVolume(ctx, t); err != nil {
		return failure.Wrap(v1alpha1.ReasonClaimFailed, "detach the volume", err)
	}
	if _, err := s.ask(ctx, t.Own, result.ClaimDetached); err != nil {
		return failure.Wrap(v1alpha1.ReasonClaimFailed, "remove the volume's pod", err)
	}
	err := s.retryBusy(ctx, func() error { return s.Pools.Export(ctx, t.Pool(), t.Own.PoolGUID) })
	return failure.Wrap(v1alpha1.ReasonPoolFailed, "export the pool", err)
}

// reattach imports the exported pool, and lets a new pod mount the same volume.
func (s claimStorage) reattach(ctx context.Context, t *Target) error {
	back := zfs.Import{GUID: t.Own.PoolGUID, Name: t.Pool(), Dirs: ownership.SearchPaths(t.Own.Devices)}
	if err := s.retryBusy(ctx, func() error { return s.Pools.Import(ctx, back) }); err != nil {
		return failure.Wrap(v1alpha1.ReasonPoolFailed, "import the pool", err)
	}
	t.imports++
	answer, err := s.ask(ctx, t.Own, result.ClaimPresent)
	if err == nil && answer.Facts != *t.Claimed {
		err = fmt.Errorf("it is now %s, but was %s", answer.Facts.Dataset, t.Claimed.Dataset)
	}
	if err != nil {
		return failure.Wrap(v1alpha1.ReasonClaimFailed, "mount the volume in a new pod", err)
	}
	return s.attach(ctx, t, answer)
}

func (s claimStorage) Broken(t *Target) error {
	if err := s.poolStorage.Broken(t); err != nil {
		return err
	}
	return s.held.check(s.Timings.KernelPatience)
}

// Renew lets the driver remove the volume, waits until its space is free, and lets the driver make a new one.
func (s claimStorage) Renew(ctx context.Context, t *Target) error {
	const doing = "remove the volume of the previous repetition"
	if err := s.detachVolume(ctx, t); err != nil {
		return failure.Wrap(v1alpha1.ReasonClaimFailed, doing, err)
	}
	if _, err := s.ask(ctx, t.Own, result.ClaimAbsent); err != nil {
		return failure.Wrap(v1alpha1.ReasonClaimFailed, doing, err)
	}
	t.Claimed = nil
	err := s.awaitFreed(ctx, t)
	if err == nil {
		err = s.trimFreed(ctx, t)
	}
	if err != nil {
		return failure.Wrap(v1alpha1.ReasonPoolFailed, doing, err)
	}
	return s.provision(ctx, t)
}

func (claimStorage) ownsFilesystem() bool { return false }

func (claimStorage) addFeatures(context.Context, *Target, *result.Features) error { return nil }

// CanDestroy is false: the driver destroys the dataset.
func (claimStorage) CanDestroy(*Target) bool { return false }

// Teardown lets the driver remove the volume, and only then exports the pool. The pool must be imported for that: the
// driver considers a volume that it does not see as gone, and would leave it there.
func (s claimStorage) Teardown(ctx context.Context, own *result.Ownership) error {
	if own.PoolGone {
		return s.poolStorage.Teardown(ctx, own)
	}
	_, imported, err := s.findPool(ctx, own.PoolName)
	if err == nil && !imported {
		_, imported, err = s.importOwned(ctx, *own)
	}
	if err == nil && imported {
		err = s.Pools.CheckState(own.PoolName) // the driver would wait for a suspended pool as well
	}
	if err != nil {
		return failure.Wrap(v1alpha1.ReasonCleanupFailed, "find pool "+own.PoolName+" to remove its volume", err)
	}
	waiting, cancel := s.untilGone(ctx, *own)
	defer cancel()
	if err := s.removeClaim(waiting, *own); err != nil {
		return err
	}
	return s.poolStorage.Teardown(ctx, own)
}
