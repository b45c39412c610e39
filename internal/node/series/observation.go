// SPDX-License-Identifier: Apache-2.0

package series

import "time"

// Observation is the state of a node's counters at one moment. Counters only grow, from boot or from when the module
// was loaded. A part that is not available is nil.
type Observation struct {
	At           time.Time
	CPU          *CPU
	Memory       *Memory
	ARC          *ARC
	ZIL          *ZIL
	Transactions *Transactions
	// Txgs are the txgs that have been written to disk, in order, as far back as the module remembers.
	Txgs []Txg
	// Devices are in the order of the request; nil for a device that is gone.
	Devices  []*Device
	Pressure *Pressure
	// HottestCelsius is the highest temperature that the kernel knows; nil if it knows none, or if temperatures were
	// not read this time.
	HottestCelsius *float64
}

// CPU is the time of all CPUs together, and of each.
type CPU struct {
	All   CPUTime
	Cores []CPUTime
}

// CPUTime is seconds in each state. Interrupts are hardware and software interrupts; Stolen is what a hypervisor gave
// to others.
type CPUTime struct{ User, System, Interrupts, IOWait, Idle, Stolen float64 }

// Busy is the time that was neither idle nor waiting nor stolen.
func (t CPUTime) Busy() float64 { return t.User + t.System + t.Interrupts }

// capacity is the sum of all states.
func (t CPUTime) capacity() float64 { return t.Busy() + t.IOWait + t.Idle + t.Stolen }

func (t CPUTime) sub(earlier CPUTime) CPUTime {
	return CPUTime{
		User: t.User - earlier.User, System: t.System - earlier.System, Interrupts: t.Interrupts - earlier.Interrupts,
		IOWait: t.IOWait - earlier.IOWait, Idle: t.Idle - earlier.Idle, Stolen: t.Stolen - earlier.Stolen,
	}
}

// Memory is in bytes. Cached is the page cache, without the ARC. Dirty is the part of it that still has to be written.
type Memory struct{ Available, Cached, Dirty int64 }

// ARC is the size of the cache and its target, in bytes, and the number of hits and misses. A lookup of data that was
// already on its way from a device counts as a miss, because it had to wait.
type ARC struct {
	Size, Target                      int64
	DemandHits, DemandMisses          int64
	MetadataHits, MetadataMisses      int64
	PrefetchHits, PrefetchMisses      int64
	L2Hits, L2Misses, L2Size, L2ASize int64
}

// ZIL counts commits, and the bytes that they wrote to the pool's disks and to log devices, for all pools of the node
// together.
type ZIL struct{ Commits, PoolWrites, PoolBytes, LogWrites, LogBytes int64 }

// Transactions counts transactions that were assigned to a txg, that the write throttle delayed, and that had to wait
// because of too much dirty data, of all pools together.
type Transactions struct{ Assigned, Delayed, Throttled int64 }

// Txg is a transaction group that has been written to disk. Open is how long it accepted changes, Sync how long writing
// them took.
type Txg struct {
	ID                 int64
	DirtyBytes         int64
	WrittenBytes       int64
	OpenNanoseconds    int64
	QuiesceNanoseconds int64
	WaitNanoseconds    int64
	SyncNanoseconds    int64
}

// Device counts what a block device did. ReadNanoseconds and so on are the sum of all requests' times. BusyNanoseconds
// is how long there was at least one request.
type Device struct {
	Reads, Writes, Flushes                              int64
	ReadBytes, WrittenBytes                             int64
	ReadNanoseconds, WriteNanoseconds, FlushNanoseconds int64
	BusyNanoseconds, QueuedNanoseconds                  int64
}

// Pressure is the time in seconds that tasks waited for a resource: Some, at least one task; Full, all tasks that had
// work.
type Pressure struct{ CPUSome, IOSome, IOFull, MemorySome, MemoryFull float64 }
