// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"context"
	"sync"
	"time"

	"zfsbench.io/operator/internal/storage/zfs"
)

// hostState is what the guard knows about the node: it is read once for all disks.
type hostState struct {
	// initialPIDs says whether /proc shows all processes of the machine.
	initialPIDs bool
	tree        tree
	// hostMounts are the mounts of process 1, mounts the mounts of every process.
	hostMounts, mounts []mount
	swaps              []swap
	backings           []backing
	// pools gathers, when it is first called, the paths of every device of every imported, exported or destroyed pool:
	// that is slow, and a disk that is refused for what the kernel says needs no more.
	pools func() ([]poolDevice, error)
	// open gathers, when it is first called, which devices processes have open.
	open func() (openDevices, error)
}

// poolDevice is a path that OpenZFS names as part of a pool.
type poolDevice struct {
	// Pool says which pool, in words.
	Pool string
	Path string
}

// poolListAge is how old the list of pools may be that Partition reuses from the Check before it. To list pools is
// slow, since OpenZFS reads every disk, and what it adds to the labels of the disk itself, which are always read, is
// pools that miss the disk: those do not come and go.
const poolListAge = time.Minute

// openListAge is how old the list of open devices may be that disks which are partitioned, or given back, one after the
// other share: to gather it is to look at every file of every process. What the kernel itself uses is found for each
// disk.
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

// recent remembers what takes long to gather.
type recent[T any] struct {
	mu    sync.Mutex
	read  time.Time
	value T
}

// get returns what is remembered, gathered again if it is older than the age. The age counts from when gathering began.
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

// shareOpens replaces the list of open devices by one that disks share.
func (g *Guard) shareOpens(look *hostState, shared *recent[openDevices]) {
	look.open = func() (openDevices, error) { return shared.get(openListAge, g.node.openDevices) }
}

// readPools asks OpenZFS for the devices of every pool it knows or can find.
func (g *Guard) readPools(ctx context.Context) ([]poolDevice, error) {
	inUse, err := g.zfs.DevicesInUse(ctx)
	if err != nil {
		return nil, err
	}
	var devices []poolDevice
	for _, path := range inUse {
		devices = append(devices, poolDevice{Pool: "an imported pool", Path: path})
	}
	for _, destroyed := range []bool{false, true} {
		pools, err := g.zfs.Importable(ctx, zfs.ImportScan{Destroyed: destroyed})
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
