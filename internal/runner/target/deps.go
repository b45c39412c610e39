// SPDX-License-Identifier: Apache-2.0

package target

import (
	"context"

	"zfsbench.io/operator/internal/node/monitor"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/runner/mounts"
	"zfsbench.io/operator/internal/storage/blockdev"
	"zfsbench.io/operator/internal/storage/filesystem"
	"zfsbench.io/operator/internal/storage/hostfs"
	"zfsbench.io/operator/internal/storage/zfs"
	"zfsbench.io/operator/internal/storage/zfs/layout"
)

// Pools creates, changes and removes pools; *zfs.Client is the real one.
type Pools interface {
	Pools(ctx context.Context) ([]zfs.Pool, error)
	CheckState(pool string) error
	AddVdev(ctx context.Context, add layout.Addition) error
	Status(ctx context.Context, pool string) (zfs.Status, error)
	CreatePool(ctx context.Context, pool zfs.CreatePool) error
	CreateFilesystem(ctx context.Context, name string, properties map[string]string) error
	CreateVolume(ctx context.Context, volume zfs.Volume) (device string, err error)
	VolumeDevice(ctx context.Context, name string) (device string, err error)
	Get(ctx context.Context, dataset string, properties ...string) (map[string]string, error)
	Datasets(ctx context.Context, pool string) ([]string, error)
	VdevPaths(ctx context.Context, pool string) ([]string, error)
	PoolFacts(ctx context.Context, pool, dataset string) (result.PoolFacts, error)
	// Waits is how long requests to the pool and each of its vdevs took since it was imported.
	Waits(ctx context.Context, pool string) ([]zfs.Waits, error)
	// Allocation and SimulatedDedup examine an idle pool with zdb, which looks for its devices in dirs.
	Allocation(ctx context.Context, dataset string, dirs []string) (result.Allocation, error)
	SimulatedDedup(ctx context.Context, pool string, dirs []string) (result.SimulatedDedup, error)
	Importable(ctx context.Context, scan zfs.ImportScan) ([]zfs.ImportablePool, error)
	Import(ctx context.Context, how zfs.Import) error
	Export(ctx context.Context, name, guid string) error
	Sync(ctx context.Context, pool string) error
	// DestroyDataset destroys a dataset without children and snapshots, WaitFreed waits until its space is free, and Trim
	// discards that space on the disks.
	DestroyDataset(ctx context.Context, name string) error
	WaitFreed(ctx context.Context, pool string) error
	Trim(ctx context.Context, pool string) error
	// Operate runs a command on a pool and waits until the pool has finished it.
	Operate(ctx context.Context, operation zfs.Operation) error
	// SendReceive sends a snapshot into another dataset, and returns the size of the stream in bytes.
	SendReceive(ctx context.Context, send zfs.Send) (bytes int64, err error)
}

// Disks proves what is on disks before it is changed; *blockdev.Guard is the real one.
type Disks interface {
	Prove(ctx context.Context, owned result.OwnedDevice) error
	// CheckBlankVolume fails if a block device that is not a disk of a policy holds anything.
	CheckBlankVolume(ctx context.Context, device string) error
	// FindArray is the block device of the md array that recorded partitions are in, proved to be the recorded one; empty
	// if they are in none.
	FindArray(ctx context.Context, owned []result.OwnedDevice) (device string, err error)
	// Dismantle stops that array, if there is one, and erases the superblocks of its members.
	Dismantle(ctx context.Context, owned []result.OwnedDevice) error
	// FindMember finds a recorded partition that this array has, had or may get, and proves it.
	FindMember(ctx context.Context, owned []result.OwnedDevice, name string) (blockdev.ArrayMember, error)
}

// Baselines makes and mounts filesystems other than ZFS, and makes md arrays, with the node's own kernel and
// tools; hostfs.Node is the real one.
type Baselines interface {
	// ArrayState is the kernel's state of an md array.
	ArrayState(device string) (hostfs.Array, error)
	// MemberState is the kernel's state of a device of an array, in words like in_sync, spare and faulty; no words if the
	// array does not have the device.
	MemberState(array, device string) ([]string, error)
	// Make runs a command that makes a filesystem, or that makes or changes an array.
	Make(ctx context.Context, argv []string) error
	// Mount makes the filesystem on a block device appear at a directory and gives its root to the tools' user. Mounts
	// unmounts it.
	Mount(device, dir string, how filesystem.Mount) error
	// Mounted is the state of the filesystem mounted at a directory, Source only its block device; empty if none is.
	Mounted(dir string) (hostfs.State, error)
	Source(dir string) (device string, err error)
	// Idle fails with EBUSY as long as the kernel uses a filesystem on a block device, wherever it is mounted.
	Idle(device string) error
	// Empty removes all files at a directory. TrimMount discards the free space of the filesystem there; discarded is
	// false if the filesystem or the disk cannot.
	Empty(dir string) error
	TrimMount(dir string) (discarded bool, err error)
	// Features finds out what the filesystem at a directory can do, with files that it creates and removes. sync writes a
	// file that is still in memory to the disk before its blocks are shared. own says that the whole filesystem belongs to
	// the benchmark and may be resized.
	Features(dir string, own bool, sync func() error) (result.Features, error)
	// HoldsQuota finds out whether a quota of next to nothing keeps a user from writing to a directory. It removes the
	// file that it tries this with. Nil means unknown.
	HoldsQuota(dir string, user int, sync func() error) (*bool, error)
	// SyncMount and SyncDevice write out what is in memory; ForgetDevice also drops it from memory.
	SyncMount(dir string) error
	SyncDevice(device string) error
	ForgetDevice(device string) error
}

// Mounts makes datasets usable for this process: it mounts filesystems in its own mount namespace and identifies
// volumes. Kernel is the real one.
type Mounts interface {
	// Mount makes a dataset appear at a directory and gives its root to the tools' user.
	Mount(dataset, dir string, options mounts.Options) error
	// VolumeName is the name of the volume whose block device this is.
	VolumeName(device string) (string, error)
	// Unmount unmounts what is mounted at a directory; nothing mounted there is no error.
	Unmount(dir string) error
}

// Node reads counters and facts of the node; monitor.Node is the real one.
type Node interface {
	Facts() (result.NodeFacts, error)
	// PageCacheBytes is how much of the tools' data the page cache can hold at most.
	PageCacheBytes() (int64, error)
	DirectBytes(pool string) (monitor.Moved, error)
	DeviceBytes(devices []monitor.DeviceNumber) (monitor.Moved, error)
}

// Journal is the record on the node of what a trial owns; *journal.Journal is the real one.
type Journal interface {
	// Owned is the recorded ownership, or nil.
	Owned() *result.Ownership
	RecordOwned(own result.Ownership) error
}

// Sink is the record outside of the node.
type Sink interface {
	// PutOwnership returns nil only when the ownership is recorded.
	PutOwnership(ctx context.Context, ownership result.Ownership) error
}
