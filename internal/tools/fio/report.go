// SPDX-License-Identifier: Apache-2.0

package fio

import (
	"time"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
)

// Report is what fio says of one run.
type Report struct {
	// Version is fio's own, for example fio-3.39.
	Version string
	// Jobs has one entry for all processes of a job, because job files ask for group reporting.
	Jobs []Job
	// Notes are the lines that fio put beside its report: warnings and errors, as it wrote them.
	Notes []string
}

// Job is a job with all of its processes.
type Job struct {
	Name string
	// Errno is 0 for a job that succeeded.
	Errno int
	// CPUSeconds is user and system time of the job's processes while they did I/O.
	CPUSeconds float64
	// Read and Write are nil where nothing was read or written.
	Read, Write *result.Operation
	// Sync are the calls of fsync or fdatasync between writes; nil if there were none.
	Sync *result.Operation `json:",omitempty"`
}

// Sample is what fio's report contributes to the sample of a workload: tool, version, runtime, both directions and
// syncs, the same for each of several jobs, and fio's CPU time. A report of other jobs than the workload's is an error;
// another error is ErrNoIO.
func (r Report) Sample(w v1alpha1.FioWorkload) (result.Sample, error) {
	if len(r.Jobs) != len(w.AllJobs()) {
		return result.Sample{}, tool.Malformedf("%d groups of jobs instead of %d", len(r.Jobs), len(w.AllJobs()))
	}
	s := result.Sample{Tool: "fio", ToolVersion: r.Version, Read: r.Jobs[0].Read, Write: r.Jobs[0].Write,
		Sync: r.Jobs[0].Sync}
	if len(w.Jobs) > 0 {
		if err := r.several(w, &s); err != nil {
			return result.Sample{}, err
		}
	}
	if s.Read == nil && s.Write == nil {
		return result.Sample{}, ErrNoIO
	}
	for _, job := range r.Jobs {
		s.ToolCPUSeconds += job.CPUSeconds
	}
	for _, d := range []*result.Operation{s.Read, s.Write} {
		if d != nil {
			s.RuntimeNanoseconds = max(s.RuntimeNanoseconds, d.RuntimeNanoseconds)
		}
	}
	return s, nil
}

const millisecond = int64(time.Millisecond)
