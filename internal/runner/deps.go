// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"log/slog"
	"time"

	"zfsbench.io/operator/internal/node/monitor"
	"zfsbench.io/operator/internal/node/series"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/runner/parameters"
	"zfsbench.io/operator/internal/runner/preflight"
	"zfsbench.io/operator/internal/runner/target"
	"zfsbench.io/operator/internal/runner/toolrun"
	"zfsbench.io/operator/internal/storage/blockdev"
)

// Pools is OpenZFS; *zfs.Client is the real one.
type Pools interface {
	target.Pools
	Versions(ctx context.Context) (userland, module string, err error)
}

// Disks checks disks, partitions them for the benchmark and releases them; *blockdev.Guard is the real one.
type Disks interface {
	target.Disks
	CheckAll(ctx context.Context, wants []blockdev.Want) []blockdev.Verdict
	// Scan reads a whole disk. It must hold only zeros, or only what benchmarks have written since the last scan.
	Scan(ctx context.Context, disk blockdev.Disk, read func(bytes int64)) error
	Partition(ctx context.Context, disk blockdev.Disk, owned result.OwnedDevice, discard bool) (blockdev.Partitioned,
		error)
	Release(ctx context.Context, owned result.OwnedDevice, poolComment string) error
	// Locate says whether a recorded disk may still be there, is missing, or is used for something else now, and why.
	Locate(ctx context.Context, owned result.OwnedDevice) (where blockdev.DiskState, why string)
}

// Files makes and removes file devices in the benchmark's own directory; blockdev.Files is the real one.
type Files interface {
	CheckSpace(sizeBytes int64) error
	Create(name string, sizeBytes int64) (path string, err error)
	Remove(path string) error
}

// Baselines finds and uses the node's own filesystems and md arrays; hostfs.Node is the real one.
type Baselines interface {
	preflight.Baselines
	target.Baselines
}

// NodeReader reads the node's counters and facts; monitor.Node is the real one.
type NodeReader interface {
	target.Node
	CPUSeconds() (float64, error)
	Others(used []monitor.DeviceNumber) (monitor.Others, error)
	BlockDevice(path string) (monitor.DeviceNumber, error)
	// Observe reads everything that is sampled every second.
	Observe(pool string, devices []monitor.DeviceNumber, temperatures bool) (series.Observation, error)
}

// Series keeps the time series of workloads; sink.SeriesDirectory is the real one. A series of the same name is
// replaced.
type Series interface {
	Put(name string, data []byte) error
}

// Sink takes the runner's documents. Its methods try until they succeed, cannot succeed, or the context ends.
type Sink interface {
	target.Sink
	ClearOwnership(ctx context.Context) error
	// Ownership is the recorded ownership, or nil.
	Ownership(ctx context.Context) (*result.Ownership, error)
	PutTrial(ctx context.Context, trial result.Trial) error
	PutProgress(ctx context.Context, progress result.Progress) error
	// Progress is the last progress that was put, or nil.
	Progress(ctx context.Context) (*result.Progress, error)
	SuspendRequested(ctx context.Context) (bool, error)
	// ForgottenDevices are the disks, by serial number or path, that an administrator gives up.
	ForgottenDevices(ctx context.Context) ([]string, error)
}

// Deps is everything outside the engine.
type Deps struct {
	Pools Pools
	Disks Disks
	// Files returns the file devices of a directory.
	Files  func(directory string) Files
	Mounts target.Mounts
	// Baselines uses the node's kernel and tools.
	Baselines Baselines
	Node      NodeReader
	// Parameters are the node's module parameters.
	Parameters parameters.Module
	Tool       toolrun.Tool
	// Tools looks for all other programs; FindTools is the real one.
	Tools func(ctx context.Context) []preflight.ToolVersion
	Sink  Sink
	// Claims and PodVolumes are nil without Kubernetes.
	Claims     target.Claims
	PodVolumes target.PodVolumes
	// Images is nil without Kubernetes.
	Images toolrun.Images
	// Corpora is the directory in which the volumes of plan.CorpusClaims are mounted, by their numbers; empty without
	// Kubernetes.
	Corpora string
	// Series may be nil: then time series are not kept, only their summaries in the samples.
	Series Series
	// Filesystem describes the filesystem of a directory; StatFilesystem is the real one.
	Filesystem func(dir string) (preflight.Filesystem, error)
	// NodeLock is the file that all runners of the node lock; if empty, they lock only their scratch directory.
	NodeLock string
	// OwnsNode says that the manager has given the node to this benchmark alone.
	OwnsNode bool
	Now      func() time.Time
	Log      *slog.Logger
}
