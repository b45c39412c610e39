// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"context"
	"sync"
	"time"

	"zfsbench.io/operator/internal/storage/zfs"
)

// hostState is what the guard knows about the node. It is read once for all disks.
type hostState struct {
	// initialPIDs says whether /proc shows all processes of the machine.
	initialPIDs bool
	tree        tree
	// hostMounts are the mounts of process 1, mounts the mounts of every process.
	hostMounts, mounts []mount
	swaps              []swap
	backings           []backing
	// pools returns the paths of every device of every imported, exported or destroyed pool. It gathers them at the
	// first call, because that is slow, and not needed for a disk that is refused because of the kernel's state.
	pools func() ([]poolDevice, error)
	// open returns which devices processes have open. It gathers them at the first call.
	open func() (openDevices, error)
}

// poolDevice is a path that OpenZFS names as part of a pool.
type poolDevice struct {
	// Pool says which pool it is.
	Pool string
	Path string
}

// poolListAge is the maximum age of the list of pools that Partition reuses from the Check before it. Listing pools is
// slow, because OpenZFS reads every disk. The disk's own labels are always read again; the list adds only pools that
// miss the disk, and these rarely change.
const poolListAge = time.Minute

// openListAge is the maximum age of the list of open devices that disks share when they are partitioned, or released,
// one after the other. Gathering it means examining every file of every process. Use by the kernel itself is checked
// for each disk.
const openListAge = 5 * time.Second

// readHostState fails when anything cannot be read. It reads the list of pools again if that is older than the age.
func (g *Guard) readHostState(ctx context.Context, age time.Duration) (*hostState, error) {
	var look hostState
	var err error
	if look.initialPIDs, err = g.node.seesAllProcesses(); err != nil {
		return nil, err
	}
	if look.tree, err = g.node.readTree(); err != nil {
		return nil, err
	}
	if err := g.node.readLoops(look.tree); err != nil {
		return nil, err
	}
	if look.hostMounts, err = g.node.readMounts("1"); err != nil {
		return nil, err
	}
	if look.mounts, err = g.node.readAllMounts(); err != nil {
		return nil, err
	}
	if look.swaps, err = g.node.readSwaps(); err != nil {
		return nil, err
	}
	if look.backings, err = g.node.readBackings(); err != nil {
		return nil, err
	}
	look.open = sync.OnceValues(g.node.openDevices)
	look.pools = sync.OnceValues(func() ([]poolDevice, error) {
		return g.pools.get(age, func() ([]poolDevice, error) { return g.readPools(ctx) })
	})
	return &look, nil
}

// recent keeps the last result of something that takes long to gather.
type recent[T any] struct {
	mu    sync.Mutex
	read  time.Time
	value T
}

// get returns the kept result. It gathers it again if it is older than age, which counts from the start of the
// gathering.
func (r *recent[T]) get(age time.Duration, gather func() (T, error)) (T, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.read.IsZero() && time.Since(r.read) < age {
		return r.value, nil
	}
	began := time.Now()
	value, err := gather()
	if err != nil {
		var none T
		return none, err
	}
	r.value, r.read = value, began
	return value, nil
}

// shareOpens replaces the list of open devices by one that several disks share.
func (g *Guard) shareOpens(look *hostState, shared *recent[openDevices]) {
	look.open = func() (openDevices, error) { return shared.get(openListAge, g.node.openDevices) }
}

// readPools asks OpenZFS for the devices of every pool it knows or can find.
func (g *Guard) readPools(ctx context.Context) ([]poolDevice, error) { return g.readPoolsOn(ctx, nil) }

// readPoolsOn looks for pools that are not imported on these devices only; nil is everywhere.
func (g *Guard) readPoolsOn(ctx context.Context, scan []string) ([]poolDevice, error) {
	inUse, err := g.zfs.DevicesInUse(ctx)
	if err != nil {
		return nil, err
	}
	var devices []poolDevice
	for _, path := range inUse {
		devices = append(devices, poolDevice{Pool: "an imported pool", Path: path})
	}
	for _, destroyed := range []bool{false, true} {
		pools, err := g.zfs.Importable(ctx, zfs.ImportScan{Dirs: scan, Destroyed: destroyed})
		if err != nil {
			return nil, err
		}
		for _, pool := range pools {
			kind := "the exported pool "
			if destroyed {
				kind = "the destroyed pool "
			}
			for _, path := range pool.Paths {
				devices = append(devices, poolDevice{Pool: kind + pool.Name, Path: path})
			}
		}
	}
	return devices, nil
}
