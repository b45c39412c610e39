// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"math/bits"

	"zfsbench.io/operator/api/v1alpha1"
)

// How OpenZFS 2.1 to 2.4 divide devices, with its tunables as they are by default (module/zfs/vdev.c, vdev_raidz.c,
// vdev_draid.c, spa_misc.c).
const (
	// Labels and boot block at the start of each device, labels at its end; sizes are whole labels.
	labelStartBytes, labelEndBytes, labelBytes = 4 << 20, 512 << 10, 256 << 10
	// The space of a vdev is divided into metaslabs; what is left over is lost.
	metaslabShift, leastMetaslabShift, mostMetaslabShift = 29, 24, 34
	leastMetaslabs, mostMetaslabs, metaslabLimit         = 16, 200, 1 << 17
	// A thirty-second of the pool is kept back, within these limits.
	slopDivisor, leastSlopBytes, mostSlopBytes = 32, 128 << 20, 128 << 30
	// What `zfs list` calls available is counted for blocks of this size.
	deflateBytes = 128 << 10
	// draidRowBytes is what one row of a draid takes of each device, draidReserveBytes what each keeps for later.
	draidRowBytes, draidReserveBytes = 16 << 20, 32 << 20
	// draidData is the number of data devices of a draid's group unless it says otherwise.
	draidData = 8
)

// The ashifts to assume where the pool sets none: OpenZFS asks the disks.
const (
	smallestAshift     = 9
	largestUsualAshift = 12
)

// usableBytes is what a new pool leaves to data in blocks of one size. Without an ashift of its own the pool gets the
// assumed one.
func usableBytes(pool v1alpha1.PoolSpec, sizes map[string]int64, block float64, assumedAshift int) float64 {
	if len(pool.Vdevs) == 0 {
		return 0
	}
	ashift := ashiftOf(pool, assumedAshift)
	var space float64
	for _, vdev := range pool.Vdevs {
		g := geometryOf(vdev)
		space += g.allocatable(vdev, sizes) / g.stretch(deflateBytes, ashift)
	}
	return (space - slopBytes(space)) / inflation(pool, block, assumedAshift)
}

// inflation is how many of the bytes that `zfs list` calls available a block takes for each of its bytes: more than one
// if it does not fill its sectors or rows.
func inflation(pool v1alpha1.PoolSpec, block float64, assumedAshift int) float64 {
	if len(pool.Vdevs) == 0 {
		return 1
	}
	// All data vdevs are of one type and width.
	g, ashift := geometryOf(pool.Vdevs[0]), ashiftOf(pool, assumedAshift)
	return g.stretch(block, ashift) / g.stretch(deflateBytes, ashift)
}

func ashiftOf(pool v1alpha1.PoolSpec, assumed int) int {
	if pool.Ashift != nil {
		return int(*pool.Ashift)
	}
	return assumed
}

// slopBytes is what a pool keeps back of its space.
func slopBytes(space float64) float64 {
	return max(min(space/slopDivisor, mostSlopBytes), min(space/2, leastSlopBytes))
}

// geometry is how a vdev spreads a block: over data devices, with parity for each row.
type geometry struct {
	kind         v1alpha1.VdevType
	data, parity int64
	// disks of a draid are those that are no spare.
	disks int64
}

func geometryOf(vdev v1alpha1.Vdev) geometry {
	n := int64(len(vdev.Devices))
	parity := map[v1alpha1.VdevType]int64{
		v1alpha1.VdevRaidz1: 1, v1alpha1.VdevRaidz2: 2, v1alpha1.VdevRaidz3: 3, v1alpha1.VdevDraid1: 1,
		v1alpha1.VdevDraid2: 2, v1alpha1.VdevDraid3: 3,
	}[vdev.Type]
	g := geometry{kind: vdev.Type, parity: parity, data: n - parity, disks: n}
	if g.isDraid() {
		if vdev.Draid != nil {
			g.disks -= int64(vdev.Draid.Spares)
		}
		g.data = min(g.disks-parity, draidData)
		if vdev.Draid != nil && vdev.Draid.Data != nil {
			g.data = int64(*vdev.Draid.Data)
		}
	}
	return g
}

func (g geometry) isDraid() bool {
	return g.kind == v1alpha1.VdevDraid1 || g.kind == v1alpha1.VdevDraid2 || g.kind == v1alpha1.VdevDraid3
}

// stretch is how many bytes a block takes for each of its own. It takes whole sectors of 2^ashift bytes, however small
// it is.
func (g geometry) stretch(block float64, ashift int) float64 {
	size := int64(block)
	sectors := (size-1)>>ashift + 1
	if g.parity == 0 || g.data < 1 {
		return float64(sectors<<ashift) / block
	}
	if g.isDraid() {
		rows := (size-1)/(g.data<<ashift) + 1
		return float64(rows*(g.data+g.parity)<<ashift) / block
	}
	sectors += g.parity * ((sectors + g.data - 1) / g.data)
	sectors = (sectors + g.parity) / (g.parity + 1) * (g.parity + 1)
	return float64(sectors<<ashift) / block
}

// allocatable is the space of a vdev's metaslabs, parity included, in bytes. A stripe of several devices is as many
// vdevs.
func (g geometry) allocatable(vdev v1alpha1.Vdev, sizes map[string]int64) float64 {
	least := leafBytes(sizes[vdev.Devices[0]])
	var all int64
	for _, name := range vdev.Devices {
		leaf := leafBytes(sizes[name])
		least = min(least, leaf)
		all += metaslabBytes(leaf)
	}
	switch {
	case vdev.Type == v1alpha1.VdevStripe:
		return float64(all)
	case vdev.Type == v1alpha1.VdevMirror:
		return float64(metaslabBytes(least))
	case g.isDraid():
		rows := max(least-draidReserveBytes, 0) / draidRowBytes * g.disks
		group := g.data + g.parity
		return float64(metaslabBytes(rows / group * group * draidRowBytes))
	default:
		return float64(metaslabBytes(least * g.disks))
	}
}

// leafBytes is a device without its labels.
func leafBytes(size int64) int64 {
	return max(size/labelBytes*labelBytes-labelStartBytes-labelEndBytes, 0)
}

// metaslabBytes is the part of a vdev that is whole metaslabs.
func metaslabBytes(space int64) int64 {
	shift := metaslabShift
	switch count := space >> metaslabShift; {
	case count < leastMetaslabs:
		shift = bits.Len64(uint64(space / leastMetaslabs))
	case count > mostMetaslabs:
		shift = bits.Len64(uint64(space / mostMetaslabs))
	}
	shift = max(shift, leastMetaslabShift)
	if shift > mostMetaslabShift {
		shift = mostMetaslabShift
		if space>>shift > metaslabLimit {
			shift = bits.Len64(uint64(space / metaslabLimit))
		}
	}
	return space >> shift << shift
}
