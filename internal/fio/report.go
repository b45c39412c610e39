// SPDX-License-Identifier: Apache-2.0

package fio

import (
	"fmt"
	"time"

	"zfsbench.io/operator/internal/result"
)

// Report is what fio says of one run.
type Report struct {
	// Version is fio's own, for example fio-3.39.
	Version string
	// Jobs has one entry for all jobs, because job files ask for group reporting.
	Jobs []Job
	// Notes are the lines that fio put beside its report: warnings and errors, as it wrote them.
	Notes []string
}

// Job is one job, or a group of them.
type Job struct {
	Name string
	// Errno is 0 for a job that succeeded.
	Errno int
	// CPUSeconds is user and system time of the job's processes while they did I/O.
	CPUSeconds float64
	// Read and Write are nil where nothing was read or written.
	Read, Write *result.Operation
}

// Sample is the part of a sample that fio's report has: tool, version, runtime, both directions and fio's CPU time. Errors: ErrNoIO; a report of
// several jobs is an error, too, because percentiles of jobs that were reported one by one are not those of all I/O.
func (r Report) Sample() (result.Sample, error) {
	if len(r.Jobs) != 1 {
		return result.Sample{}, &FormatError{Err: fmt.Errorf("%d jobs in place of one group", len(r.Jobs))}
	}
	job := r.Jobs[0]
	if job.Read == nil && job.Write == nil {
		return result.Sample{}, ErrNoIO
	}
	s := result.Sample{Tool: "fio", ToolVersion: r.Version, Read: job.Read, Write: job.Write, ToolCPUSeconds: job.CPUSeconds}
	for _, d := range []*result.Operation{job.Read, job.Write} {
		if d != nil {
			s.RuntimeNanoseconds = max(s.RuntimeNanoseconds, d.RuntimeNanoseconds)
		}
	}
	return s, nil
}

const millisecond = int64(time.Millisecond)
