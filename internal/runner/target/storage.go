// SPDX-License-Identifier: Apache-2.0

package target

import (
	"context"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/node/monitor"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/storage/zfs"
)

// Storage is a kind of target. It is made on prepared devices.
type Storage interface {
	// name is the name, in messages, of what is recorded as owned.
	name(own result.Ownership) string
	// onLoss is the failure reason if devices are lost. neverEnds says that whatever waits for them may wait for ever.
	onLoss() (reason string, neverEnds bool)
	// Steps create it and mount it.
	Steps() []Step
	// Sync writes out what is still in memory.
	Sync(ctx context.Context, t *Target) error
	// EmptyCache drops its data from memory.
	EmptyCache(ctx context.Context, t *Target) error
	// directBytes are the bytes of I/O that bypassed its cache, if it counts them.
	directBytes(t *Target) (monitor.Moved, error)
	// Describe adds its state to a sample.
	Describe(ctx context.Context, t *Target, sample *result.Sample) error
	// Broken says why it no longer does any I/O, or returns nil. It reads only what the kernel answers at once.
	Broken(t *Target) error
	// CheckUndisturbed fails if anything but the workload may have influenced what was measured.
	CheckUndisturbed(ctx context.Context, t *Target, w v1alpha1.Workload) error
	// waits is how long requests to each of its vdevs took since it was created or imported; only pools have vdevs.
	waits(ctx context.Context, t *Target) ([]zfs.Waits, error)
	// ownsFilesystem says whether the benchmark has made the whole filesystem. A volume that was claimed from Kubernetes
	// may be a directory in somebody else's filesystem.
	ownsFilesystem() bool
	// addFeatures adds features that only this kind of filesystem has, or that are found out in another way for it.
	addFeatures(ctx context.Context, t *Target, found *result.Features) error
	// Removal is the name of its teardown in the progress.
	Removal() string
	// Renew prepares it for another trial: it removes what the workloads of the trial before wrote, as far as possible
	// without creating everything again.
	Renew(ctx context.Context, t *Target) error
	// Teardown frees the devices, so that only the guard's checks are left before their release. It notes its progress in
	// own. What is not provably the benchmark's stays.
	Teardown(ctx context.Context, own *result.Ownership) error
}

// Step is a step of creating a target.
type Step struct {
	// Name is the step's name in the progress.
	Name string
	Run  func(context.Context, *Target) error
}

// Storage is the kind of storage of a trial's target.
func (h *Host) Storage(t *Target) Storage {
	switch {
	case t.Own.Baseline != "" || t.Variant.Filesystem() == nil:
		return h.StorageOf(t.Own)
	case t.Own.Claim != nil:
		return claimFilesystemStorage{claimStorage{poolStorage{h}}}
	default:
		return volumeFilesystemStorage{poolStorage{h}}
	}
}

// Describe names what is recorded as owned, for messages.
func (h *Host) Describe(own result.Ownership) string { return h.StorageOf(own).name(own) }

// StorageOf is the kind of storage that is recorded as owned, or is about to be.
func (h *Host) StorageOf(own result.Ownership) Storage {
	var s Storage
	switch own.Baseline {
	case "":
		if own.Claim != nil {
			return claimStorage{poolStorage{h}}
		}
		return poolStorage{h}
	case v1alpha1.KindPersistentVolume:
		return classStorage{Host: h}
	case v1alpha1.KindRaw:
		s = rawStorage{Host: h}
	default:
		s = filesystemStorage{Host: h}
	}
	if own.ArrayUUID() != "" {
		return arrayStorage{s, h}
	}
	return s
}

// baseline is what all kinds except pools have in common.
type baseline struct{}

func (baseline) onLoss() (reason string, neverEnds bool) { return v1alpha1.ReasonBaselineFailed, false }

func (baseline) directBytes(*Target) (monitor.Moved, error) { return monitor.Moved{}, nil }

func (baseline) waits(context.Context, *Target) ([]zfs.Waits, error) { return nil, nil }

func (baseline) ownsFilesystem() bool { return true }

func (baseline) addFeatures(context.Context, *Target, *result.Features) error { return nil }

func (baseline) Removal() string { return "remove baseline" }
