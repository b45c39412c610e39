// SPDX-License-Identifier: Apache-2.0

package mdraid

import (
	"math"
	"slices"

	"zfsbench.io/operator/api/v1alpha1"
)

// Level is a level of md arrays.
type Level struct {
	Name v1alpha1.MDLevel
	// MinDevices is the least number of devices.
	MinDevices int
	// Module is the alias of the level's kernel module, for modprobe; Personality is the level's name in /proc/mdstat.
	Module, Personality string
	// lossTolerance is how many of n devices may be lost, whichever they are; data is the capacity of n devices, in
	// devices.
	lossTolerance func(n int) int
	data          func(n int) float64
}

// Levels are all supported levels.
func Levels() []Level {
	return []Level{
		{v1alpha1.MDRaid0, 2, "md-level-0", "raid0", always(0), minus(0)},
		{v1alpha1.MDRaid1, 2, "md-level-1", "raid1", func(n int) int { return n - 1 }, func(int) float64 { return 1 }},
		{v1alpha1.MDRaid5, 3, "md-level-5", "raid5", always(1), minus(1)},
		{v1alpha1.MDRaid6, 4, "md-level-6", "raid6", always(2), minus(2)},
		{v1alpha1.MDRaid10, 4, "md-level-10", "raid10", always(1), func(n int) float64 { return float64(n) / 2 }},
	}
}

func always(n int) func(int) int { return func(int) int { return n } }

func minus(parity int) func(int) float64 {
	return func(n int) float64 { return float64(n - parity) }
}

// Names are the names of all levels.
func Names() []v1alpha1.MDLevel {
	var names []v1alpha1.MDLevel
	for _, l := range Levels() {
		names = append(names, l.Name)
	}
	return names
}

// Of returns the level of a name; false for an unknown name.
func Of(name v1alpha1.MDLevel) (Level, bool) {
	levels := Levels()
	i := slices.IndexFunc(levels, func(l Level) bool { return l.Name == name })
	if i < 0 {
		return Level{}, false
	}
	return levels[i], true
}

// Stripes says whether data is striped over the devices in chunks.
func (l Level) Stripes() bool { return l.Name != v1alpha1.MDRaid1 }

// HasParity says whether redundancy is computed from the data instead of copied.
func (l Level) HasParity() bool { return l.Name == v1alpha1.MDRaid5 || l.Name == v1alpha1.MDRaid6 }

// IsRedundant says whether the level survives the loss of a device. Only such a level needs to sync, and has a bitmap
// of what is out of sync.
func (l Level) IsRedundant() bool { return l.Name != v1alpha1.MDRaid0 }

// LossTolerance is how many devices of an array, whichever they are, may be lost without losing data; 0 for an unknown
// level.
func LossTolerance(a v1alpha1.MDArray) int {
	level, known := Of(a.Level)
	if !known {
		return 0
	}
	return level.lossTolerance(len(a.Devices))
}

// Room is the space in a new array in bytes: at least Least, at most Most. mdadm decides how much of each device it
// reserves.
type Room struct{ Least, Most int64 }

// RoomOf returns the space in an array whose smallest device has the given size.
func RoomOf(a v1alpha1.MDArray, deviceBytes int64) Room {
	level, known := Of(a.Level)
	if !known {
		return Room{}
	}
	devices := level.data(len(a.Devices))
	return Room{
		Least: whole(float64(max(0, deviceBytes-reservedBytes(a, deviceBytes))) * devices),
		Most:  whole(float64(deviceBytes) * devices),
	}
}

func whole(bytes float64) int64 { return int64(min(max(bytes, 0), math.MaxInt64/2)) }

// What mdadm keeps free before the data for a later reshape (validate_geometry1 in super1.c of mdadm 4.4), and what
// else it reserves.
const (
	maxHeadroomBytes = 128 << 20
	// headroomDivisor makes the headroom a 1024th of the device; minHeadroomChunks is its minimum.
	headroomDivisor, minHeadroomChunks = 1024, 4
	// defaultChunkBytes is mdadm's default.
	defaultChunkBytes = 512 << 10
	// metadataBytes is the space for superblock, bitmap and bad block list, rounded up to a MiB.
	metadataBytes = 2 << 20
)

// reservedBytes is the most that is not available for data on a device: metadata, headroom and an incomplete chunk.
func reservedBytes(a v1alpha1.MDArray, deviceBytes int64) int64 {
	chunk := int64(defaultChunkBytes)
	if a.ChunkSize != nil {
		chunk = a.ChunkSize.Value()
	}
	headroom := min(maxHeadroomBytes, max(deviceBytes/headroomDivisor, minHeadroomChunks*chunk))
	return metadataBytes + headroom + chunk
}

// SyncBytes is the most that the first sync reads or writes on each device; 0 for a level without redundancy. All
// devices work at the same time.
func SyncBytes(a v1alpha1.MDArray, deviceBytes int64) int64 {
	if level, known := Of(a.Level); !known || !level.IsRedundant() {
		return 0
	}
	return deviceBytes
}
