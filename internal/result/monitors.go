// SPDX-License-Identifier: Apache-2.0

package result

import (
	"errors"
	"fmt"
)

// MaxMonitoredDevices is how many devices a sample has: the busiest ones. The time series on the node has all.
const MaxMonitoredDevices = 8

// Monitors summarises the monitors' time series in a sample: means and maxima while the workload ran. A part that the
// node does not have is nil.
type Monitors struct {
	// Seconds is how long the workload was observed, Observations how often.
	Seconds      float64      `json:"seconds"`
	Observations int          `json:"observations"`
	CPU          *CPUUse      `json:"cpu,omitempty"`
	Memory       *MemoryUse   `json:"memory,omitempty"`
	ARC          *ARCUse      `json:"arc,omitempty"`
	ZIL          *ZILUse      `json:"zil,omitempty"`
	Txgs         *TxgUse      `json:"txgs,omitempty"`
	Transactions *ThrottleUse `json:"transactions,omitempty"`
	Pressure     *PressureUse `json:"pressure,omitempty"`
	Devices      []DeviceUse  `json:"devices,omitempty"`
	// OmittedDevices is how many devices there are beside Devices, all of them less busy.
	OmittedDevices int `json:"omittedDevices,omitempty"`
	// HottestCelsius is the highest temperature that any sensor of the kernel reported; 0 if none did.
	HottestCelsius float64 `json:"hottestCelsius,omitempty"`
}

// Level is a mean and a maximum of means of about a second.
type Level struct {
	Mean float64 `json:"mean"`
	Max  float64 `json:"max"`
}

// CPUUse are fractions of the time of all CPUs. BusiestCore is the busiest core in each second, not always the same
// one.
type CPUUse struct {
	Busy        Level   `json:"busy"`
	BusiestCore Level   `json:"busiestCore"`
	User        float64 `json:"user"`
	System      float64 `json:"system"`
	IOWait      float64 `json:"ioWait"`
	Stolen      float64 `json:"stolen"`
}

// MemoryUse is the least memory that was available, and the mean size of the page cache, without the ARC.
type MemoryUse struct {
	LeastAvailableBytes int64 `json:"leastAvailableBytes"`
	PageCacheBytes      int64 `json:"pageCacheBytes"`
}

// ARCUse covers all pools of the node. Misses include data that was already being read from a device.
type ARCUse struct {
	SizeBytes      int64 `json:"sizeBytes"`
	MaxSizeBytes   int64 `json:"maxSizeBytes"`
	DemandHits     int64 `json:"demandHits"`
	DemandMisses   int64 `json:"demandMisses"`
	MetadataHits   int64 `json:"metadataHits"`
	MetadataMisses int64 `json:"metadataMisses"`
	PrefetchHits   int64 `json:"prefetchHits"`
	PrefetchMisses int64 `json:"prefetchMisses"`
	L2Hits         int64 `json:"l2Hits,omitempty"`
	L2Misses       int64 `json:"l2Misses,omitempty"`
	L2SizeBytes    int64 `json:"l2SizeBytes,omitempty"`
}

// ZILUse covers all pools of the node: commits, and what they wrote to the pools' own disks and to log devices.
type ZILUse struct {
	Commits   int64 `json:"commits"`
	PoolBytes int64 `json:"poolBytes"`
	LogBytes  int64 `json:"logBytes"`
}

// TxgUse covers the pool's transaction groups that were written out while the workload ran.
type TxgUse struct {
	Synced          int64 `json:"synced"`
	OpenNanoseconds int64 `json:"openNanoseconds"`
	SyncNanoseconds Level `json:"syncNanoseconds"`
	MaxDirtyBytes   int64 `json:"maxDirtyBytes"`
}

// ThrottleUse counts transactions of all pools of the node, and those that the write throttle delayed or held up.
type ThrottleUse struct {
	Assigned  int64 `json:"assigned"`
	Delayed   int64 `json:"delayed"`
	Throttled int64 `json:"throttled"`
}

// PressureUse are fractions of the time in which tasks waited: some for a CPU, some or all for I/O, some for memory.
type PressureUse struct {
	CPU    float64 `json:"cpu"`
	IO     float64 `json:"io"`
	IOFull float64 `json:"ioFull"`
	Memory float64 `json:"memory"`
}

// DeviceUse is of a block device that the benchmark uses. Waits are the mean time from a request's submission to its
// end; Queue is how many requests it had on average.
type DeviceUse struct {
	// Device is the benchmark's name for it.
	Device string `json:"device"`
	// Utilization is the fraction of the time in which the device was busy.
	Utilization           Level   `json:"utilization"`
	Queue                 float64 `json:"queue"`
	ReadBytesPerSecond    int64   `json:"readBytesPerSecond"`
	WrittenBytesPerSecond int64   `json:"writtenBytesPerSecond"`
	ReadWaitNanoseconds   int64   `json:"readWaitNanoseconds,omitempty"`
	WriteWaitNanoseconds  int64   `json:"writeWaitNanoseconds,omitempty"`
	FlushWaitNanoseconds  int64   `json:"flushWaitNanoseconds,omitempty"`
}

// check says what of monitors that came from outside cannot be true, or nil.
func (m *Monitors) check() error {
	if m == nil {
		return nil
	}
	if len(m.Devices) > MaxMonitoredDevices {
		return fmt.Errorf("more than %d devices", MaxMonitoredDevices)
	}
	var errs error
	levels := func(name string, most float64, all ...Level) {
		for _, l := range all {
			if l.Mean > l.Max || l.Max > most {
				errs = errors.Join(errs, fmt.Errorf("%s: mean %v and maximum %v are not possible", name, l.Mean, l.Max))
			}
		}
	}
	fractions := func(name string, all ...float64) {
		for _, f := range all {
			levels(name, 1, Level{f, f})
		}
	}
	if c := m.CPU; c != nil {
		levels("cpu", 1, c.Busy, c.BusiestCore)
		fractions("cpu", c.User, c.System, c.IOWait, c.Stolen)
	}
	if p := m.Pressure; p != nil {
		fractions("pressure", p.CPU, p.IO, p.IOFull, p.Memory)
	}
	if t := m.Txgs; t != nil {
		levels("txgs", maxInteger, t.SyncNanoseconds)
	}
	if a := m.ARC; a != nil && a.SizeBytes > a.MaxSizeBytes {
		errs = errors.Join(errs, fmt.Errorf("arc: mean size %d is above the maximum %d", a.SizeBytes, a.MaxSizeBytes))
	}
	for _, d := range m.Devices {
		levels("devices", 1, d.Utilization)
	}
	return errs
}
