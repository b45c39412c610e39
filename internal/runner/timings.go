// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"time"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/runner/target"
)

// timings are the engine's intervals and time limits, in addition to package target's. Tests shorten them.
type timings struct {
	target.Timings
	// teardownTimeout bounds a teardown. Exporting a pool first writes out what is still in memory.
	teardownTimeout time.Duration
	// reportTimeout bounds the delivery of the last results and the report. interruptedReportTimeout does so for a
	// runner that has to stop: it is killed soon, and the next runner reports again.
	reportTimeout, interruptedReportTimeout time.Duration
	// destroyPatience bounds destroying a dataset in order to time it. Freeing deduplicated data may take hours; exporting
	// the pool does not wait for that.
	destroyPatience time.Duration
	// suspendPoll is how often the full scan of disks checks whether the benchmark is to be suspended.
	suspendPoll time.Duration
	// observePoll is how often the node is sampled while a workload runs. lookPatience bounds the wait for the last
	// sample: a disk that hangs may not answer when its temperature is read.
	observePoll, lookPatience time.Duration
	// pullPatience, imagePatience and toolDeadline are for toolrun.Runner.
	pullPatience, imagePatience time.Duration
	toolDeadline                func(plan.Expanded, v1alpha1.Workload) time.Duration
}

func defaultTimings() timings {
	return timings{
		Timings:         target.DefaultTimings(),
		teardownTimeout: 5 * time.Minute, reportTimeout: 10 * time.Minute, interruptedReportTimeout: 15 * time.Second,
		destroyPatience: 5 * time.Minute, suspendPoll: 10 * time.Second,
		observePoll: time.Second, lookPatience: 5 * time.Second,
		pullPatience: 30 * time.Minute, imagePatience: 2 * time.Minute, toolDeadline: plan.ToolDeadline,
	}
}
