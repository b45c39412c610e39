// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/node/monitor"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/storage/zfs"
)

// storage is a kind of thing that workloads run on, made on devices that are prepared: what differs between a pool and
// everything else.
type storage interface {
	// steps make it and mount it.
	steps() []setUpStep
	// sync writes out what is still in memory.
	sync(ctx context.Context, t *target) error
	// emptyCache takes what it holds out of memory.
	emptyCache(ctx context.Context, t *target) error
	// directBytes are the bytes of I/O past its cache, if it counts them.
	directBytes(t *target) (monitor.Moved, error)
	// describe adds its state to a sample.
	describe(ctx context.Context, t *target, sample *result.Sample) error
	// broken says why it no longer does any I/O, or nil. It reads only what the kernel answers at once.
	broken(t *target) error
	// checkUndisturbed fails if something else than the workload may have decided what was measured.
	checkUndisturbed(ctx context.Context, t *target, w v1alpha1.Workload) error
	// waits is how long requests to each of its vdevs took since it was made; none for anything but a pool.
	waits(ctx context.Context, t *target) ([]zfs.Waits, error)
	// ownsFilesystem says whether the filesystem as a whole is made by the benchmark. One that was claimed from
	// Kubernetes may be a directory of somebody's.
	ownsFilesystem() bool
	// addFeatures adds what only this kind of filesystem can do, or is asked in another way.
	addFeatures(ctx context.Context, t *target, found *result.Features) error
	// removal is the step of its teardown, as the progress calls it.
	removal() string
	// renew makes room for another trial: what the workloads of the one before wrote is gone, as far as that goes without
	// making all of it again.
	renew(ctx context.Context, t *target) error
	// teardown sees to it that nothing but the guard stands between its devices and their release, and writes down in own
	// how far it came. What is not provably the benchmark's stays.
	teardown(ctx context.Context, own *result.Ownership) error
}

// setUpStep is a step of making something for the workloads to run on.
type setUpStep struct {
	// name is what the progress says.
	name string
	run  func(context.Context, *target) error
}

// storage is what a trial's workloads run on.
func (h *host) storage(t *target) storage {
	if t.own.Baseline == "" && t.own.Claim == nil && t.variant.Filesystem() != nil {
		return volumeFilesystemStorage{poolStorage{h}}
	}
	return h.storageOf(t.own)
}

// storageOf is the kind of thing that is recorded as owned, or about to be.
func (h *host) storageOf(own result.Ownership) storage {
	var s storage
	switch own.Baseline {
	case "":
		if own.Claim != nil {
			return claimStorage{poolStorage{h}}
		}
		return poolStorage{h}
	case v1alpha1.KindPersistentVolume:
		return classStorage{host: h}
	case v1alpha1.KindRaw:
		s = rawStorage{host: h}
	default:
		s = filesystemStorage{host: h}
	}
	if own.ArrayUUID() != "" {
		return arrayStorage{s, h}
	}
	return s
}

// baseline is what all kinds that are no pool have in common.
type baseline struct{}

func (baseline) directBytes(*target) (monitor.Moved, error) { return monitor.Moved{}, nil }

func (baseline) waits(context.Context, *target) ([]zfs.Waits, error) { return nil, nil }

func (baseline) ownsFilesystem() bool { return true }

func (baseline) addFeatures(context.Context, *target, *result.Features) error { return nil }

func (baseline) removal() string { return "remove baseline" }
