// SPDX-License-Identifier: Apache-2.0

package bottleneck

import (
	"fmt"
	"strings"
	"time"

	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/text/human"
)

// Factor is what limited a workload.
type Factor string

// The factors, in the order in which they are checked.
const (
	CPU    Factor = "cpu"
	Sync   Factor = "sync"
	Device Factor = "device"
	ARC    Factor = "arc"
	// None means that no threshold is reached.
	None Factor = "none"
	// Unknown means that the workload was not observed, or not for long enough.
	Unknown Factor = "unknown"
)

const (
	// busyCPUs is the share of the time of all CPUs that must be used, or stolen by a hypervisor. It is well below 1
	// because OpenZFS uses only four fifths of the CPUs (zio_taskq_batch_pct is 80).
	busyCPUs = 0.75
	// busyCore is the share of the time that the busiest core must be busy. Then a single thread, for example of one
	// checksum or one job, cannot go faster. It is below 1 because a thread does not stay on one core.
	busyCore = 0.9
	// busyDevice is the share of the time that a device must be busy. It is below 1 because even a device that is far
	// too slow has pauses between transaction groups.
	busyDevice = 0.8
	// syncedWrites is the share of a workload's writes that must wait for a commit of the ZIL.
	syncedWrites = 0.5
	// throttled is the share of transactions that must be delayed because of too much dirty data. Then they wait for
	// the device and not for the commit.
	throttled = 0.5
	// cachedReads is the share of the workload's reads that must come from memory; cacheHits is the share of lookups
	// that must hit the ARC.
	cachedReads, cacheHits = 0.5, 0.9
	// observedWorkload is the share of the observed time that must belong to the workload, if that time is not longer
	// than shortRun. Otherwise the means describe the start of the tool.
	observedWorkload = 0.5
	shortRun         = 2 * time.Second
)

// Limit is a factor with its evidence.
type Limit struct {
	Factor Factor `json:"factor"`
	// Devices are the devices at their limit, by the benchmark's names, the busiest first; empty for other factors.
	Devices []string `json:"devices,omitempty"`
	// Evidence is a clause with the numbers that decided, or came closest.
	Evidence string `json:"evidence,omitempty"`
}

// String is one word, or "device" with the name of the busiest one, and how many more there are.
func (l Limit) String() string {
	switch n := len(l.Devices); n {
	case 0:
		return string(l.Factor)
	case 1:
		return fmt.Sprintf("%s %s", l.Factor, l.Devices[0])
	default:
		return fmt.Sprintf("%s %s and %d more", l.Factor, l.Devices[0], n-1)
	}
}

// rules are in order of precedence. Busy CPUs make everything else wait. A commit makes a device busy, not the other
// way round. Rules that count events also apply to the shortest workload; the others look at means over time.
var rules = []struct {
	find   func(result.Sample) (Limit, bool)
	counts bool
}{{ofCPU, false}, {ofSync, true}, {ofDevice, false}, {ofARC, true}}

// Find finds what limited a workload.
func Find(s result.Sample) Limit {
	if s.Monitors == nil {
		return Limit{Factor: Unknown}
	}
	short := tooShort(s)
	for _, rule := range rules {
		if short && !rule.counts {
			continue
		}
		if found, ok := rule.find(s); ok {
			return found
		}
	}
	if short {
		observed := s.Monitors.Seconds * float64(time.Second)
		return Limit{Factor: Unknown, Evidence: fmt.Sprintf("too short to tell: it ran for %s of the %s that were "+
			"observed", human.Latency(float64(s.RuntimeNanoseconds)), human.Latency(observed))}
	}
	return Limit{Factor: None, Evidence: closest(*s.Monitors)}
}

// tooShort says whether means over the observed time tell little about the workload.
func tooShort(s result.Sample) bool {
	ran := time.Duration(s.RuntimeNanoseconds)
	return ran > 0 && ran < shortRun && ran.Seconds() < observedWorkload*s.Monitors.Seconds
}

func ofCPU(s result.Sample) (Limit, bool) {
	cpu := s.Monitors.CPU
	if cpu == nil {
		return Limit{}, false
	}
	if cpu.Busy.Mean+cpu.Stolen >= busyCPUs || cpu.BusiestCore.Mean >= busyCore {
		return Limit{Factor: CPU, Evidence: cpuText(*cpu)}, true
	}
	return Limit{}, false
}

func cpuText(cpu result.CPUUse) string {
	text := fmt.Sprintf("CPUs %s busy, the busiest core %s", human.Percent(cpu.Busy.Mean),
		human.Percent(cpu.BusiestCore.Mean))
	if cpu.Stolen > 0 {
		text += fmt.Sprintf(", %s stolen by a hypervisor", human.Percent(cpu.Stolen))
	}
	return text
}

// ofSync is only about pools: other filesystems do not report how many commits were requested.
func ofSync(s result.Sample) (Limit, bool) {
	zil, writes := s.Monitors.ZIL, writesOf(s)
	if zil == nil || writes == 0 || !s.OnPool() {
		return Limit{}, false
	}
	committed := float64(zil.Commits) / float64(writes)
	if committed < syncedWrites || isThrottled(s.Monitors.Transactions) {
		return Limit{}, false
	}
	where := "to the pool's own disks, without a log device"
	if zil.LogBytes > 0 {
		where = "to log devices"
	}
	evidence := fmt.Sprintf("%s commits of the ZIL per write, %s %s", human.Digits(committed),
		human.Bytes(float64(zil.PoolBytes+zil.LogBytes)), where)
	return Limit{Factor: Sync, Evidence: evidence}, true
}

func isThrottled(t *result.ThrottleUse) bool {
	return t != nil && t.Assigned > 0 && float64(t.Delayed+t.Throttled) >= throttled*float64(t.Assigned)
}

// writesOf counts the workload's writes: I/O, or files in a phase that writes them.
func writesOf(s result.Sample) int64 {
	var writes int64
	if s.Write != nil {
		writes = s.Write.IOs
	}
	for _, p := range s.Phases {
		if !p.Reads && p.Bytes > 0 {
			writes += p.IOs
		}
	}
	return writes
}

func ofDevice(s result.Sample) (Limit, bool) {
	found := Limit{Factor: Device}
	var evidence []string
	for _, d := range s.Monitors.Devices {
		if d.Utilization.Mean >= busyDevice {
			found.Devices = append(found.Devices, d.Device)
			evidence = append(evidence, deviceText(d))
		}
	}
	if len(found.Devices) == 0 {
		return Limit{}, false
	}
	if others := s.Monitors.Devices[len(found.Devices):]; len(others) > 0 {
		evidence = append(evidence, fmt.Sprintf("the next %s %s", others[0].Device,
			human.Percent(others[0].Utilization.Mean)))
	}
	const shown = 3
	if more := len(evidence) - shown; more > 0 {
		evidence = append(evidence[:shown], fmt.Sprintf("and %d more", more))
	}
	found.Evidence = strings.Join(evidence, "; ")
	return found, true
}

func deviceText(d result.DeviceUse) string {
	return fmt.Sprintf("%s %s of the time in use, %s requests at once, %s", d.Device,
		human.Percent(d.Utilization.Mean), human.Digits(d.Queue),
		human.Rate(float64(d.ReadBytesPerSecond+d.WrittenBytesPerSecond)))
}

func ofARC(s result.Sample) (Limit, bool) {
	arc, read := s.Monitors.ARC, s.BytesRead()
	if arc == nil || !s.OnPool() || read == 0 || read < s.BytesWritten() {
		return Limit{}, false
	}
	hits, all := arc.DemandHits, arc.DemandHits+arc.DemandMisses
	fromDevices := float64(s.DeviceReadBytes) / float64(read) * max(1, s.Pool.CompressRatio)
	if all == 0 || float64(hits) < cacheHits*float64(all) || fromDevices >= 1-cachedReads {
		return Limit{}, false
	}
	return Limit{Factor: ARC, Evidence: fmt.Sprintf("%s of reads found in the ARC, devices read %s for each byte of the "+
		"workload's", human.Percent(float64(hits)/float64(all)), human.Percent(fromDevices))}, true
}

// closest says how far the CPUs and the busiest device were from their limits.
func closest(m result.Monitors) string {
	var parts []string
	if m.CPU != nil {
		parts = append(parts, cpuText(*m.CPU))
	}
	if len(m.Devices) > 0 {
		parts = append(parts, "the busiest device "+deviceText(m.Devices[0]))
	}
	return strings.Join(parts, "; ")
}
