// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"math"
	"time"

	"zfsbench.io/operator/api/v1alpha1"
)

// estimateFio lays out what the jobs read or overwrite, and runs them. Those that end after a time run beside each other; those that end after their size share the disk, which is
// as slow as if they ran one after the other.
func estimateFio(w v1alpha1.FioWorkload) time.Duration {
	layout, pass := estimatePass(w)
	return min(layout+repeatedly(pass, v1alpha1.Workload{Fio: &w}.MostRuns()), maxTimeout)
}

// estimatePass is the time of the layout, and that of each pass.
func estimatePass(w v1alpha1.FioWorkload) (layout, pass time.Duration) {
	var shared, last time.Duration
	for _, j := range w.AllJobs() {
		bytes := jobBytes(j.FioWorkload)
		if j.RW != v1alpha1.FioWrite { // Everything but sequential writing meets files that are laid out before.
			layout = min(layout+atRate(bytes, slowBytesPerSecond), maxTimeout)
		}
		run, wait := atRate(bytes, min(slowRate(j.FioWorkload), fullRate(j.FioWorkload))), j.StartDelay
		if j.RampTime != nil {
			wait += j.RampTime.Duration
		}
		if j.Runtime != nil && (j.IsTimeBased() || j.Runtime.Duration < run) {
			wait, run = wait+j.Runtime.Duration, 0
		}
		shared, last = min(shared+run, maxTimeout), max(last, wait)
	}
	return layout, min(shared+last, maxTimeout)
}

// leastFio is how long the jobs run that have to for a time.
func leastFio(w v1alpha1.FioWorkload) time.Duration {
	var last time.Duration
	for _, j := range w.AllJobs() {
		if !j.IsTimeBased() || j.Runtime == nil {
			continue
		}
		end := j.StartDelay + j.Runtime.Duration
		if j.RampTime != nil {
			end += j.RampTime.Duration
		}
		last = max(last, end)
	}
	if s := w.SteadyState; s != nil && s.Filled().Then == v1alpha1.SteadyEnds {
		return repeatedly(last, int(s.Filled().Window))
	}
	return repeatedly(last, v1alpha1.Workload{Fio: &w}.MostRuns())
}

// repeatedly is the time of so many runs.
func repeatedly(run time.Duration, times int) time.Duration {
	return min(min(run, maxTimeout/time.Duration(times))*time.Duration(times), maxTimeout)
}

// slowRate is the slow disk's rate for the workload's block size and order, in bytes per second.
func slowRate(w v1alpha1.FioWorkload) float64 {
	sequential := w.RW == v1alpha1.FioRead || w.RW == v1alpha1.FioWrite || w.RW == v1alpha1.FioReadWrite
	synchronous := w.Fsync > 0 || (w.Sync != "" && w.Sync != v1alpha1.FioSyncNone)
	if sequential && !synchronous {
		return slowBytesPerSecond
	}
	blocks, err := w.BlockRange()
	if err != nil { // Validation has refused it; the slowest is right for what is unknown.
		blocks.Mean = 512
	}
	return min(slowBytesPerSecond, blocks.Mean*slowIOPS)
}

// fullRate is what a job may do at most, all of its processes together; without end if nothing limits it.
func fullRate(w v1alpha1.FioWorkload) float64 {
	each := math.Inf(1)
	if w.Rate != nil {
		each = float64(w.Rate.Value())
	}
	if w.RateIOPS > 0 {
		// Validation has refused what is no block size.
		blocks, _ := w.BlockRange()
		each = blocks.Mean * float64(w.RateIOPS)
	}
	return each * float64(max(w.NumJobs, 1))
}

// fioBytes is what all jobs of a workload together read or write once.
func fioBytes(w v1alpha1.FioWorkload) float64 {
	var all float64
	for _, j := range w.AllJobs() {
		all += jobBytes(j.FioWorkload)
	}
	return all
}

// jobBytes is what all processes of one job read or write once.
func jobBytes(w v1alpha1.FioWorkload) float64 {
	return float64(w.Size.Value()) * float64(max(w.NumJobs, 1))
}

// smallestFioFile is the size of the smallest file of any job.
func smallestFioFile(w v1alpha1.FioWorkload) int64 {
	smallest := int64(math.MaxInt64)
	for _, j := range w.AllJobs() {
		smallest = min(smallest, j.Size.Value())
	}
	return smallest
}
