// SPDX-License-Identifier: Apache-2.0

package fio

import (
	"math"
	"time"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/tools"
)

// Duration is the time to lay out what the jobs read or overwrite, and to run them. Jobs that end after a time run in
// parallel. Jobs that end after their size share the disk, which takes as long as running them one after the other.
func (t Tool) Duration() time.Duration {
	layout, pass := estimatePass(t.FioWorkload)
	return min(layout+repeatedly(pass, t.runs()), tools.MaxDuration)
}

// runs is how many times the jobs run at most.
func (t Tool) runs() int { return v1alpha1.Workload{Fio: &t.FioWorkload}.MostRuns() }

// estimatePass is the time of the layout, and the time of each pass.
func estimatePass(w v1alpha1.FioWorkload) (layout, pass time.Duration) {
	var shared, last time.Duration
	for _, j := range w.AllJobs() {
		bytes := JobBytes(j.FioWorkload)
		if j.RW != v1alpha1.FioWrite { // Everything but sequential writing meets files that are laid out before.
			layout = min(layout+tools.AtRate(bytes, tools.SlowBytesPerSecond), tools.MaxDuration)
		}
		run, wait := tools.AtRate(bytes, min(slowRate(j.FioWorkload), fullRate(j.FioWorkload))), j.StartDelay
		if j.RampTime != nil {
			wait += j.RampTime.Duration
		}
		if j.Runtime != nil && (j.IsTimeBased() || j.Runtime.Duration < run) {
			wait, run = wait+j.Runtime.Duration, 0
		}
		shared, last = min(shared+run, tools.MaxDuration), max(last, wait)
	}
	return layout, min(shared+last, tools.MaxDuration)
}

// LeastDuration is the runtime of the jobs that run for a fixed time.
func (t Tool) LeastDuration() time.Duration {
	var last time.Duration
	for _, j := range t.AllJobs() {
		if !j.IsTimeBased() || j.Runtime == nil {
			continue
		}
		end := j.StartDelay + j.Runtime.Duration
		if j.RampTime != nil {
			end += j.RampTime.Duration
		}
		last = max(last, end)
	}
	if s := t.SteadyState; s != nil && s.WithDefaults().Then == v1alpha1.SteadyEnds {
		return repeatedly(last, int(s.WithDefaults().Window))
	}
	return repeatedly(last, t.runs())
}

// repeatedly is the time of so many runs.
func repeatedly(run time.Duration, times int) time.Duration {
	return min(min(run, tools.MaxDuration/time.Duration(times))*time.Duration(times), tools.MaxDuration)
}

// slowRate is the slow disk's rate for the workload's block size and order, in bytes per second.
func slowRate(w v1alpha1.FioWorkload) float64 {
	sequential := w.RW == v1alpha1.FioRead || w.RW == v1alpha1.FioWrite || w.RW == v1alpha1.FioReadWrite
	synchronous := w.Fsync > 0 || w.Fdatasync > 0 || (w.Sync != "" && w.Sync != v1alpha1.FioSyncNone)
	if sequential && !synchronous {
		return tools.SlowBytesPerSecond
	}
	blocks, err := w.BlockRange()
	if err != nil { // Validation has refused it; the slowest is right for what is unknown.
		blocks.Mean = 512
	}
	return min(tools.SlowBytesPerSecond, blocks.Mean*tools.SlowIOPS)
}

// fullRate is the highest rate of a job, all of its processes together; infinite if nothing limits it.
func fullRate(w v1alpha1.FioWorkload) float64 {
	each := math.Inf(1)
	if w.Rate != nil {
		each = float64(w.Rate.Value())
	}
	if w.RateIOPS > 0 {
		// Validation has refused a bad block size.
		blocks, _ := w.BlockRange()
		each = blocks.Mean * float64(w.RateIOPS)
	}
	return each * float64(max(w.NumJobs, 1))
}

// Bytes is how much all jobs together read or write in one pass.
func (t Tool) Bytes() float64 {
	var all float64
	for _, j := range t.AllJobs() {
		all += JobBytes(j.FioWorkload)
	}
	return all
}

// JobBytes is how much all processes of one job read or write in one pass.
func JobBytes(w v1alpha1.FioWorkload) float64 {
	return float64(w.Size.Value()) * float64(max(w.NumJobs, 1))
}

// SmallestFile is the size of the smallest file of any job.
func (t Tool) SmallestFile() int64 {
	smallest := int64(math.MaxInt64)
	for _, j := range t.AllJobs() {
		smallest = min(smallest, j.Size.Value())
	}
	return smallest
}
