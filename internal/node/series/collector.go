// SPDX-License-Identifier: Apache-2.0

package series

import (
	"fmt"
	"math"
	"time"
)

// maxCores is the maximum number of cores with their own series. A larger node has series of the busiest core and of
// all cores together: one for each core would take more space than everything else.
const maxCores = 64

// The units of columns.
const (
	fraction       = "fraction"
	bytesUnit      = "bytes"
	bytesPerSecond = "bytes/s"
	perSecond      = "1/s"
	nanoseconds    = "ns"
	number         = "number"
	celsius        = "celsius"
	seconds        = "s"
)

// Collector turns observations, fed in the order of their times, into a time series.
type Collector struct {
	interval time.Duration
	devices  []string
	table    *table
	first    time.Time
	last     *Observation
	// lastTxg is the newest txg that has been counted.
	lastTxg int64
	seen    int
	// leastAvailable is the least memory that was available; -1 if unknown.
	leastAvailable int64
}

// NewCollector takes the time between observations, and the names of their devices.
func NewCollector(interval time.Duration, devices []string) *Collector {
	return &Collector{interval: interval, devices: devices, table: newTable(), leastAvailable: -1}
}

// Add counts what has happened since the previous observation. An observation that is not later is ignored.
func (c *Collector) Add(o Observation) {
	if c.last == nil {
		c.first, c.last = o.At, &o
		if n := len(o.Txgs); n > 0 {
			c.lastTxg = o.Txgs[n-1].ID
		}
		return
	}
	elapsed := o.At.Sub(c.last.At)
	if elapsed <= 0 {
		return
	}
	step := step{collector: c, before: *c.last, now: o, seconds: elapsed.Seconds(), brief: elapsed < c.interval/2}
	step.cpu()
	step.memory()
	step.pools()
	step.txgs()
	step.allDevices()
	step.pressure()
	if o.HottestCelsius != nil {
		step.gauge("temperature/hottest", celsius, *o.HottestCelsius)
	}
	c.last = &o
	c.seen++
	c.table.observed(o.At.Sub(c.first).Seconds())
}

// step is the interval from one observation to the next.
type step struct {
	collector   *Collector
	before, now Observation
	seconds     float64
	// brief says that the step is too short for its rates to count as a maximum.
	brief bool
}

func (s step) gauge(name, unit string, value float64) {
	s.collector.table.put(name, unit, value, s.seconds, s.brief)
}

// rate adds the rate of a counter that must not have decreased.
func (s step) rate(name, unit string, before, now int64) {
	if now >= before {
		s.gauge(name, unit, float64(now-before)/s.seconds)
	}
}

// each adds the mean of count things, if there were any.
func (s step) each(name, unit string, sum, count float64) {
	if count > 0 && sum >= 0 {
		s.collector.table.put(name, unit, sum/count, count, s.brief)
	}
}

// share is a part of a whole. It is at most 1, although the resolution of the kernel's clocks can make it slightly
// more.
func share(part, whole float64) float64 {
	if whole <= 0 {
		return math.NaN()
	}
	return min(1, max(0, part/whole))
}

func (s step) cpu() {
	if s.before.CPU == nil || s.now.CPU == nil {
		return
	}
	s.states("cpu", s.now.CPU.All.sub(s.before.CPU.All))
	busiest := math.NaN()
	for i := range min(len(s.now.CPU.Cores), len(s.before.CPU.Cores)) {
		spent := s.now.CPU.Cores[i].sub(s.before.CPU.Cores[i])
		if busy := share(spent.Busy(), spent.capacity()); math.IsNaN(busiest) || busy > busiest {
			busiest = busy
		}
		if len(s.now.CPU.Cores) <= maxCores {
			s.states(fmt.Sprintf("cpu/%d", i), spent)
		}
	}
	s.gauge("cpu/busiestCore", fraction, busiest)
}

func (s step) states(name string, spent CPUTime) {
	all := spent.capacity()
	s.gauge(name+"/busy", fraction, share(spent.Busy(), all))
	for _, state := range []struct {
		name string
		time float64
	}{{"user", spent.User}, {"system", spent.System}, {"interrupts", spent.Interrupts}, {"ioWait", spent.IOWait},
		{"stolen", spent.Stolen}} {
		s.gauge(name+"/"+state.name, fraction, share(state.time, all))
	}
}

func (s step) memory() {
	m := s.now.Memory
	if m == nil {
		return
	}
	if c := s.collector; c.leastAvailable < 0 || m.Available < c.leastAvailable {
		c.leastAvailable = m.Available
	}
	s.gauge("memory/available", bytesUnit, float64(m.Available))
	s.gauge("memory/pageCache", bytesUnit, float64(m.Cached))
	s.gauge("memory/pageCacheDirty", bytesUnit, float64(m.Dirty))
}

// pools are the counters that OpenZFS keeps for all pools together.
func (s step) pools() {
	if b, n := s.before.ARC, s.now.ARC; b != nil && n != nil {
		s.gauge("arc/size", bytesUnit, float64(n.Size))
		s.gauge("arc/target", bytesUnit, float64(n.Target))
		s.gauge("arc/l2Size", bytesUnit, float64(n.L2Size))
		s.gauge("arc/l2Allocated", bytesUnit, float64(n.L2ASize))
		s.rate("arc/demandHits", perSecond, b.DemandHits, n.DemandHits)
		s.rate("arc/demandMisses", perSecond, b.DemandMisses, n.DemandMisses)
		s.rate("arc/metadataHits", perSecond, b.MetadataHits, n.MetadataHits)
		s.rate("arc/metadataMisses", perSecond, b.MetadataMisses, n.MetadataMisses)
		s.rate("arc/prefetchHits", perSecond, b.PrefetchHits, n.PrefetchHits)
		s.rate("arc/prefetchMisses", perSecond, b.PrefetchMisses, n.PrefetchMisses)
		s.rate("arc/l2Hits", perSecond, b.L2Hits, n.L2Hits)
		s.rate("arc/l2Misses", perSecond, b.L2Misses, n.L2Misses)
	}
	if b, n := s.before.ZIL, s.now.ZIL; b != nil && n != nil {
		s.rate("zil/commits", perSecond, b.Commits, n.Commits)
		s.rate("zil/poolWrites", perSecond, b.PoolWrites, n.PoolWrites)
		s.rate("zil/poolBytes", bytesPerSecond, b.PoolBytes, n.PoolBytes)
		s.rate("zil/logWrites", perSecond, b.LogWrites, n.LogWrites)
		s.rate("zil/logBytes", bytesPerSecond, b.LogBytes, n.LogBytes)
	}
	if b, n := s.before.Transactions, s.now.Transactions; b != nil && n != nil {
		s.rate("transactions/assigned", perSecond, b.Assigned, n.Assigned)
		s.rate("transactions/delayed", perSecond, b.Delayed, n.Delayed)
		s.rate("transactions/throttled", perSecond, b.Throttled, n.Throttled)
	}
}

// txgs adds the txgs that were written to disk since the previous observation, each as a separate value.
func (s step) txgs() {
	c := s.collector
	if s.now.Txgs == nil {
		return
	}
	var count float64
	for _, txg := range s.now.Txgs {
		if txg.ID <= c.lastTxg {
			continue
		}
		c.lastTxg = txg.ID
		count++
		for _, of := range []struct {
			name, unit string
			value      int64
		}{
			{"open", nanoseconds, txg.OpenNanoseconds}, {"quiesce", nanoseconds, txg.QuiesceNanoseconds},
			{"wait", nanoseconds, txg.WaitNanoseconds},
			{"sync", nanoseconds, txg.SyncNanoseconds}, {"dirty", bytesUnit, txg.DirtyBytes},
			{"written", bytesUnit, txg.WrittenBytes},
		} {
			c.table.put("txg/"+of.name, of.unit, float64(of.value), 1, false)
		}
	}
	s.gauge("txg/synced", perSecond, count/s.seconds)
}

func (s step) allDevices() {
	for i, name := range s.collector.devices {
		if i < len(s.before.Devices) && i < len(s.now.Devices) && s.before.Devices[i] != nil && s.now.Devices[i] != nil {
			s.device("device/"+name, *s.before.Devices[i], *s.now.Devices[i])
		}
	}
}

func (s step) device(name string, b, n Device) {
	elapsed := s.seconds * 1e9
	s.gauge(name+"/utilization", fraction, share(float64(n.BusyNanoseconds-b.BusyNanoseconds), elapsed))
	s.gauge(name+"/queue", number, max(0, float64(n.QueuedNanoseconds-b.QueuedNanoseconds)/elapsed))
	s.rate(name+"/reads", perSecond, b.Reads, n.Reads)
	s.rate(name+"/writes", perSecond, b.Writes, n.Writes)
	s.rate(name+"/flushes", perSecond, b.Flushes, n.Flushes)
	s.rate(name+"/readBytes", bytesPerSecond, b.ReadBytes, n.ReadBytes)
	s.rate(name+"/writtenBytes", bytesPerSecond, b.WrittenBytes, n.WrittenBytes)
	s.each(name+"/readWait", nanoseconds, float64(n.ReadNanoseconds-b.ReadNanoseconds), float64(n.Reads-b.Reads))
	s.each(name+"/writeWait", nanoseconds, float64(n.WriteNanoseconds-b.WriteNanoseconds), float64(n.Writes-b.Writes))
	s.each(name+"/flushWait", nanoseconds, float64(n.FlushNanoseconds-b.FlushNanoseconds), float64(n.Flushes-b.Flushes))
}

func (s step) pressure() {
	b, n := s.before.Pressure, s.now.Pressure
	if b == nil || n == nil {
		return
	}
	for _, of := range []struct {
		name        string
		before, now float64
	}{
		{"cpuSome", b.CPUSome, n.CPUSome}, {"ioSome", b.IOSome, n.IOSome}, {"ioFull", b.IOFull, n.IOFull},
		{"memorySome", b.MemorySome, n.MemorySome}, {"memoryFull", b.MemoryFull, n.MemoryFull},
	} {
		s.gauge("pressure/"+of.name, fraction, share(of.now-of.before, s.seconds))
	}
}

// Started is when the first observation was made.
func (c *Collector) Started() time.Time { return c.first }

// Columns ends the series. The last row may cover less time than the others. The first column is the time of each row's
// end.
func (c *Collector) Columns() []Column {
	c.table.endRow()
	columns := []Column{{Name: "time", Unit: seconds, Values: c.table.times}}
	for _, t := range c.table.columns {
		columns = append(columns, t.Column)
	}
	return columns
}
