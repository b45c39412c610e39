// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"time"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/tools"
	"zfsbench.io/operator/internal/tools/registry"
)

// The assumptions behind the default timeout, beside those about slow disks.
const (
	// perTrial is the time to create and destroy the pool, perWorkload the time to empty the cache and read the facts.
	perTrial    = 2 * time.Minute
	perWorkload = 30 * time.Second
	// perInspection is the time for zdb to look at a pool.
	perInspection = 5 * time.Minute
	// The timeout is the estimate times timeoutFactor, at least minTimeout, at most maxTimeout, the API's limit.
	timeoutFactor = 3
	minTimeout    = 15 * time.Minute
	maxTimeout    = tools.MaxDuration
	// graceBase is the time to stop the workload, unmount and report; gracePerDevice the time to destroy the pool and
	// blank a device. Data that is still in memory must be written first.
	graceBase      = 2 * time.Minute
	gracePerDevice = 10 * time.Second
)

// SlowDisk says in words what a slow disk is.
const SlowDisk = "16 MiB/s, 100 IOPS"

// DefaultTimeout is the limit on the running time of a plan that sets none: three times the estimate, on slow disks,
// for all trials and for the full scan of disks before them. It is at least 15 minutes and at most 30 days.
func DefaultTimeout(p Plan) time.Duration {
	trial := int64(EstimateTrialDuration(Expand(p, nil)) / time.Second)
	scan := int64(scanning(p) / time.Second)
	seconds := timeoutFactor * (int64(MostTrials(p))*trial + scan)
	if seconds >= maxTimeoutSeconds {
		return maxTimeout
	}
	return max(time.Duration(seconds)*time.Second, minTimeout)
}

// ToolDeadline is how long the tool of a workload may run, for its layout and for its measurement: its own limit if it
// has one, else three times the estimate for slow disks, at least 15 minutes. If the benchmark's timeout is longer than
// the default, the deadline is longer by the same factor.
func ToolDeadline(p Expanded, w v1alpha1.Workload) time.Duration {
	if limit := TimeLimit(w); limit > 0 {
		return limit
	}
	deadline := max(timeoutFactor*min(estimate(p, w), maxTimeout/timeoutFactor), minTimeout)
	if patience := p.Timeout().Seconds() / DefaultTimeout(p.Plan).Seconds(); patience > 1 {
		deadline = time.Duration(min(deadline.Seconds()*patience, maxTimeout.Seconds()) * float64(time.Second))
	}
	return deadline
}

// InspectionDeadline is how long zdb may look at a pool: three times the estimate.
const InspectionDeadline = timeoutFactor * perInspection

// EstimateTrialDuration is how long one trial takes on slow disks (16 MiB/s, 100 IOPS): 2 minutes, the time for claims,
// to make the largest filesystem and to sync the largest md array. Each workload adds 30 seconds, 5 minutes for each
// inspection, its ramp, the time to lay out the files that it reads, and the shorter of its runtime and the time for
// its size at the slow rate.
func EstimateTrialDuration(p Expanded) time.Duration {
	total := perTrial + formatting(p) + syncing(p.Plan) + claiming(p.Plan)
	for _, w := range p.slowest() {
		total += perWorkload * time.Duration(w.MostRuns())
		total += estimate(p, w) + perInspection*time.Duration(len(w.Inspect))
	}
	return min(total, maxTimeout)
}

// EstimateDuration is how long all trials take on slow disks, with the full scan of disks before them; at most 30 days.
func EstimateDuration(p Expanded) time.Duration {
	return min(repeated(p.Plan, EstimateTrialDuration(p))+scanning(p.Plan), maxTimeout)
}

// scanning is how long it takes to read all disks with FullScan. They are read at the same time, so the largest one
// counts.
func scanning(p Plan) time.Duration {
	var largest int64
	for _, d := range p.Devices {
		if d.FullScan {
			largest = max(largest, d.SizeBytes)
		}
	}
	return tools.AtRate(float64(largest), tools.SlowBytesPerSecond).Truncate(time.Second)
}

// LeastDuration is how long all trials take even on the fastest disks: the runtimes and ramps of time-based workloads;
// at most 30 days.
func LeastDuration(p Plan) time.Duration {
	var trial time.Duration
	for _, w := range p.Workloads {
		if tool := registry.Of(w); tool != nil && w.During == nil {
			trial += tool.LeastDuration()
		}
	}
	return repeated(p, trial)
}

// repeated is the time of all trials.
func repeated(p Plan, trial time.Duration) time.Duration {
	seconds := int64(MostTrials(p)) * int64(min(trial, maxTimeout)/time.Second)
	return time.Duration(min(seconds, maxTimeoutSeconds)) * time.Second
}

// MostTrials is the largest number of trials that can be needed. A confirming repetition needs at most one leader, with
// its reference, for each operation of each workload and each kind of protection.
func MostTrials(p Plan) int {
	if p.ConfirmingRepetitions == 0 {
		return len(p.Trials)
	}
	protections := map[Protection]bool{}
	for _, v := range p.Variants {
		protections[ProtectionOf(v)] = true
	}
	const leaderAndReference = 2
	operations := 0
	for _, w := range p.Workloads {
		operations += len(w.DecisiveOperations())
	}
	unneeded := len(p.Variants) - leaderAndReference*operations*len(protections)
	return len(p.Trials) - p.ConfirmingRepetitions*max(0, unneeded)
}

// GracePeriod is how long a runner may take, after a request to stop, to end the workload, destroy the pool and leave
// the devices blank: 2 minutes, 10 seconds for each device, 90 seconds if volumes are claimed, and the time to write,
// at the slow rate, the data that the largest workload can have left in memory, at most 4 GiB.
func GracePeriod(p Plan) time.Duration {
	dirty := 0.0
	expanded := Expand(p, nil)
	for _, w := range expanded.slowest() {
		dirty = max(dirty, min(max(workloadBytes(w), operationBytes(expanded, w)), tools.MaxDirtyBytes))
	}
	flush := tools.AtRate(dirty, tools.SlowBytesPerSecond).Round(time.Second)
	grace := graceBase + time.Duration(len(p.Devices))*gracePerDevice + flush
	if p.Claims() {
		grace += graceClaim
	}
	return grace
}
