// SPDX-License-Identifier: Apache-2.0

package series

import (
	"cmp"
	"math"
	"slices"

	"zfsbench.io/operator/internal/result"
)

// Monitors is the part that a sample keeps; nil if nothing was observed.
func (c *Collector) Monitors() *result.Monitors {
	if c.seen == 0 {
		return nil
	}
	m := &result.Monitors{Seconds: rounded(c.last.At.Sub(c.first).Seconds()), Observations: c.seen + 1,
		HottestCelsius: c.level("temperature/hottest").Max}
	if c.has("cpu/busy") {
		m.CPU = &result.CPUUse{
			Busy: c.level("cpu/busy"), BusiestCore: c.level("cpu/busiestCore"), User: c.level("cpu/user").Mean,
			System: c.level("cpu/system").Mean,
			IOWait: c.level("cpu/ioWait").Mean, Stolen: c.level("cpu/stolen").Mean,
		}
	}
	if c.leastAvailable >= 0 {
		m.Memory = &result.MemoryUse{LeastAvailableBytes: c.leastAvailable, PageCacheBytes: c.whole("memory/pageCache")}
	}
	if c.has("pressure/ioSome") {
		m.Pressure = &result.PressureUse{
			CPU: c.level("pressure/cpuSome").Mean, IO: c.level("pressure/ioSome").Mean, IOFull: c.level("pressure/ioFull").Mean,
			Memory: c.level("pressure/memorySome").Mean,
		}
	}
	c.addPools(m)
	c.addDevices(m)
	return m
}

func (c *Collector) addPools(m *result.Monitors) {
	if c.has("arc/size") {
		m.ARC = &result.ARCUse{
			SizeBytes: c.whole("arc/size"), MaxSizeBytes: c.most("arc/size"),
			DemandHits: c.total("arc/demandHits"), DemandMisses: c.total("arc/demandMisses"),
			MetadataHits: c.total("arc/metadataHits"), MetadataMisses: c.total("arc/metadataMisses"),
			PrefetchHits: c.total("arc/prefetchHits"), PrefetchMisses: c.total("arc/prefetchMisses"),
			L2Hits: c.total("arc/l2Hits"), L2Misses: c.total("arc/l2Misses"), L2SizeBytes: c.most("arc/l2Size"),
		}
	}
	if c.has("zil/commits") {
		m.ZIL = &result.ZILUse{Commits: c.total("zil/commits"), PoolBytes: c.total("zil/poolBytes"),
			LogBytes: c.total("zil/logBytes")}
	}
	if c.has("transactions/assigned") {
		m.Transactions = &result.ThrottleUse{
			Assigned: c.total("transactions/assigned"), Delayed: c.total("transactions/delayed"),
			Throttled: c.total("transactions/throttled"),
		}
	}
	if c.has("txg/synced") {
		m.Txgs = &result.TxgUse{
			Synced: c.total("txg/synced"), OpenNanoseconds: c.whole("txg/open"), SyncNanoseconds: c.level("txg/sync"),
			MaxDirtyBytes: c.most("txg/dirty"),
		}
	}
}

// addDevices adds the busiest devices one by one.
func (c *Collector) addDevices(m *result.Monitors) {
	for _, name := range c.devices {
		of := "device/" + name
		if !c.has(of + "/utilization") {
			continue
		}
		m.Devices = append(m.Devices, result.DeviceUse{
			Device: name, Utilization: c.level(of + "/utilization"), Queue: c.level(of + "/queue").Mean,
			ReadBytesPerSecond: c.whole(of + "/readBytes"), WrittenBytesPerSecond: c.whole(of + "/writtenBytes"),
			ReadWaitNanoseconds: c.whole(of + "/readWait"), WriteWaitNanoseconds: c.whole(of + "/writeWait"),
			FlushWaitNanoseconds: c.whole(of + "/flushWait"),
		})
	}
	slices.SortStableFunc(m.Devices, func(a, b result.DeviceUse) int {
		return cmp.Compare(b.Utilization.Mean, a.Utilization.Mean)
	})
	if more := len(m.Devices) - result.MaxMonitoredDevices; more > 0 {
		m.Devices, m.OmittedDevices = m.Devices[:result.MaxMonitoredDevices], more
	}
}

func (c *Collector) has(name string) bool {
	t := c.table.byName[name]
	return t != nil && t.weight > 0
}

// level never returns a mean above its maximum: a step that is too brief for a maximum still counts in the mean.
func (c *Collector) level(name string) result.Level {
	t := c.table.byName[name]
	mean := rounded(t.mean())
	return result.Level{Mean: mean, Max: max(mean, rounded(t.most()))}
}

func (c *Collector) total(name string) int64 {
	if t := c.table.byName[name]; t != nil {
		return wholeNumber(t.sum) // its values are per second, its weights seconds
	}
	return 0
}

func (c *Collector) whole(name string) int64 { return wholeNumber(c.table.byName[name].mean()) }

func (c *Collector) most(name string) int64 {
	return max(wholeNumber(c.table.byName[name].most()), c.whole(name))
}

// beyond is more than any real value: the limit of what a result may hold.
const beyond = 1 << 60

func wholeNumber(f float64) int64 { return int64(math.Round(min(beyond, max(0, f)))) }

// rounded has four decimals: that compresses better, and no monitor is more precise.
func rounded(f float64) float64 { return math.Round(min(beyond, max(0, f))*1e4) / 1e4 }
