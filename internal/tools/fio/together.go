// SPDX-License-Identifier: Apache-2.0

package fio

import (
	"time"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/stats"
)

// several adds the jobs of a workload to a sample, and their total.
func (r Report) several(w v1alpha1.FioWorkload, s *result.Sample) error {
	var read, write, sync []part
	for i, j := range w.AllJobs() {
		job := r.Jobs[i]
		if job.Name != j.Name {
			return tool.Malformedf("group %d is of job %q, not of %q", i, job.Name, j.Name)
		}
		s.Jobs = append(s.Jobs, result.Job{Name: job.Name, Read: job.Read, Write: job.Write, Sync: job.Sync})
		begin := j.StartDelay
		if j.RampTime != nil {
			begin += j.RampTime.Duration
		}
		read = append(read, part{begin, job.Read})
		write = append(write, part{begin, job.Write})
		sync = append(sync, part{begin, job.Sync})
	}
	s.Read, s.Write, s.Sync = together(read), together(write), together(sync)
	return nil
}

// part is what a job did from a time after the start of the workload on.
type part struct {
	begin time.Duration
	did   *result.Operation
}

// together adds up the parts; nil for none. Its runtime is from the beginning of the first part to the end of the last:
// over a shorter time, the rate would be higher than it ever was. fio's runtimes begin after the delay and the ramp.
func together(parts []part) *result.Operation {
	var all result.Operation
	var latencies []result.Latency
	begin, end := int64(-1), int64(0)
	for _, p := range parts {
		if p.did == nil {
			continue
		}
		if from := p.begin.Nanoseconds(); begin < 0 || from < begin {
			begin = from
		}
		end = max(end, p.begin.Nanoseconds()+p.did.RuntimeNanoseconds)
		all.Bytes += p.did.Bytes
		all.IOs += p.did.IOs
		latencies = append(latencies, p.did.Latency)
	}
	if len(latencies) == 0 {
		return nil
	}
	all.Latency = stats.MergeLatencies(latencies)
	if all.RuntimeNanoseconds = end - begin; all.RuntimeNanoseconds > 0 {
		seconds := float64(all.RuntimeNanoseconds) / float64(time.Second)
		all.BandwidthBytesPerSecond, all.IOPS = float64(all.Bytes)/seconds, float64(all.IOs)/seconds
	}
	return &all
}
