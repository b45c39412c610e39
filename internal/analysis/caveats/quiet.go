// SPDX-License-Identifier: Apache-2.0

package caveats

import (
	"fmt"
	"strings"

	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/text/human"
)

const (
	// othersFraction is the part of the node's CPU time that other work may use, and how many bytes it may move on
	// other disks for each byte on the pool's: see docs/results.md.
	othersFraction = 0.1
	// leastOthersRate is the least rate of other work on other disks that matters, in bytes per second: less than a
	// hundredth of the rate of the slowest SATA link.
	leastOthersRate = 1 << 20
	// leastSeconds is how long a workload has to run for this check: the kernel counts the time of each process in
	// hundredths of a second.
	leastSeconds = 1
)

// nodeNotQuiet finds trials during which the node was busy with other work. It checks each trial separately, because a
// disturbance rarely lasts all the time.
func nodeNotQuiet(s subject) string {
	var known, disturbed int
	var most shares
	for _, sample := range s.samples {
		if sample.Others == nil || sample.Others.ElapsedSeconds < leastSeconds {
			continue
		}
		known++
		if of := sharesOf(sample).relevant(); of != (shares{}) {
			disturbed++
			most.processes, most.stolen, most.diskRate = max(most.processes, of.processes), max(most.stolen, of.stolen),
				max(most.diskRate, of.diskRate)
		}
	}
	if disturbed == 0 {
		return ""
	}
	return fmt.Sprintf("In %d of %d trials the node was busy with something else: %s. Drain the node, or measure when "+
		"it is idle.", disturbed, known, strings.Join(most.reasons(), ", "))
}

// shares are what other work used: fractions of the CPUs' time, and the I/O of other disks in bytes per second and per
// byte of the pool's.
type shares struct{ processes, stolen, diskRate, disks float64 }

func sharesOf(s result.Sample) shares {
	var of shares
	if s.Others.CapacityCPUSeconds > 0 {
		of.processes, of.stolen = s.Others.CPUSeconds/s.Others.CapacityCPUSeconds,
			s.Others.StolenCPUSeconds/s.Others.CapacityCPUSeconds
	}
	of.diskRate = float64(s.Others.DiskBytes) / s.Others.ElapsedSeconds
	of.disks = float64(s.Others.DiskBytes) / max(1, float64(s.DeviceReadBytes)+float64(s.DeviceWrittenBytes))
	return of
}

// relevant keeps the shares that may have affected the measurement; the others are 0.
func (s shares) relevant() shares {
	var r shares
	if s.processes+s.stolen > othersFraction {
		r.processes, r.stolen = s.processes, s.stolen
	}
	if s.disks > othersFraction && s.diskRate > leastOthersRate {
		r.diskRate = s.diskRate
	}
	return r
}

func (s shares) reasons() []string {
	var reasons []string
	if s.processes > 0 {
		reasons = append(reasons, fmt.Sprintf("other processes took up to %s of the CPUs' time", human.Percent(s.processes)))
	}
	if s.stolen > 0 {
		reasons = append(reasons, fmt.Sprintf("a hypervisor gave up to %s of it to others", human.Percent(s.stolen)))
	}
	if s.diskRate > 0 {
		reasons = append(reasons, "disks that the pool is not on moved up to "+human.Rate(s.diskRate))
	}
	return reasons
}
