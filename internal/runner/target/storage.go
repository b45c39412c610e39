// SPDX-License-Identifier: Apache-2.0

package target

import (
	"context"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/node/monitor"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/storage/zfs"
)

// Storage is a kind of thing that workloads run on, made on devices that are prepared.
type Storage interface {
	// name is what messages call what is recorded as owned.
	name(own result.Ownership) string
	// onLoss is the reason of a failure because devices are gone. neverEnds says that what waits for them may never end.
	onLoss() (reason string, neverEnds bool)
	// Steps make it and mount it.
	Steps() []Step
	// Sync writes out what is still in memory.
	Sync(ctx context.Context, t *Target) error
	// EmptyCache takes what it holds out of memory.
	EmptyCache(ctx context.Context, t *Target) error
	// directBytes are the bytes of I/O past its cache, if it counts them.
	directBytes(t *Target) (monitor.Moved, error)
	// Describe adds its state to a sample.
	Describe(ctx context.Context, t *Target, sample *result.Sample) error
	// Broken says why it no longer does any I/O, or nil. It reads only what the kernel answers at once.
	Broken(t *Target) error
	// CheckUndisturbed fails if something else than the workload may have decided what was measured.
	CheckUndisturbed(ctx context.Context, t *Target, w v1alpha1.Workload) error
	// waits is how long requests to each of its vdevs took since it was made; none for anything but a pool.
	waits(ctx context.Context, t *Target) ([]zfs.Waits, error)
	// ownsFilesystem says whether the filesystem as a whole is made by the benchmark. One that was claimed from
	// Kubernetes may be a directory of somebody's.
	ownsFilesystem() bool
	// addFeatures adds what only this kind of filesystem can do, or is asked in another way.
	addFeatures(ctx context.Context, t *Target, found *result.Features) error
	// Removal is the step of its teardown, as the progress calls it.
	Removal() string
	// Renew makes room for another trial: what the workloads of the one before wrote is gone, as far as that goes without
	// making all of it again.
	Renew(ctx context.Context, t *Target) error
	// Teardown sees to it that nothing but the guard stands between its devices and their release, and writes down in own
	// how far it came. What is not provably the benchmark's stays.
	Teardown(ctx context.Context, own *result.Ownership) error
}

// Step is a step of making something for the workloads to run on.
type Step struct {
	// Name is what the progress says.
	Name string
	Run  func(context.Context, *Target) error
}

// Storage is what a trial's workloads run on.
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

// Describe names in words what is recorded as owned.
func (h *Host) Describe(own result.Ownership) string { return h.StorageOf(own).name(own) }

// StorageOf is the kind of thing that is recorded as owned, or about to be.
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

// baseline is what all kinds that are no pool have in common.
type baseline struct{}

func (baseline) onLoss() (reason string, neverEnds bool) { return v1alpha1.ReasonBaselineFailed, false }

func (baseline) directBytes(*Target) (monitor.Moved, error) { return monitor.Moved{}, nil }

func (baseline) waits(context.Context, *Target) ([]zfs.Waits, error) { return nil, nil }

func (baseline) ownsFilesystem() bool { return true }

func (baseline) addFeatures(context.Context, *Target, *result.Features) error { return nil }

func (baseline) Removal() string { return "remove baseline" }
