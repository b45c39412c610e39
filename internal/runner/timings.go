// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"time"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
)

// timings are how often the engine looks at what it waits for (poll), how long it waits (patience), and when it ends
// what takes too long (timeout, deadline). Tests shorten them.
type timings struct {
	// teardownTimeout bounds a teardown. Exporting a pool first writes out what is still in memory.
	teardownTimeout time.Duration
	// reportTimeout bounds the delivery of the last results and the report. interruptedReportTimeout does so for a
	// runner that was told to stop: it is killed soon, and its successor reports again.
	reportTimeout, interruptedReportTimeout time.Duration
	// kernelPatience is how long a system call may take to return after its time is up.
	kernelPatience time.Duration
	// busyPatience is how long a pool may stay busy after its last user is gone: the kernel releases an ended sandbox's
	// mounts a little later.
	busyPatience, busyPoll time.Duration
	// statePoll is how often the kernel is asked whether a target still does I/O.
	statePoll time.Duration
	// gonePatience is how long a pool whose devices are gone may take to be torn down: one with others left is not
	// held up.
	gonePatience time.Duration
	// destroyPatience is how long destroying a dataset may take so that it can be timed. It may take hours to free what
	// was deduplicated; exporting the pool does not wait for that.
	destroyPatience time.Duration
	// syncPoll is how often the runner looks how far the first sync of an md array is.
	syncPoll time.Duration
	// arrayPoll is how often the runner looks whether an array is done with an operation: its time is as exact as that.
	arrayPoll time.Duration
	// scanPatience is how long a scrub or a resilver may go on without reading anything. It reads metadata first and
	// sorts it, but no disk takes minutes for one request.
	scanPatience, scanPoll time.Duration
	// resilverPatience is how long a resilver may take to begin: OpenZFS asks for it with the next transaction group or
	// the one after, each of which takes 5 seconds at most by default.
	resilverPatience time.Duration
	// suspendPoll is how often the full scan of disks looks whether the benchmark is to be suspended.
	suspendPoll time.Duration
	// observePoll is how often the monitors look while a workload runs. lookPatience is how long the last look may take:
	// a disk that hangs may not answer when it is asked for its temperature.
	observePoll, lookPatience time.Duration
	// claimPatience is how long a volume and its pod may take to be there, or to be gone. The driver looks for new pools
	// once a minute.
	claimPatience, claimPoll time.Duration
	// pullPatience is how long a runner that begins waits for its images. The manager ends it before that if one cannot
	// be pulled. imagePatience is how long it waits for an image that was lost: for another pod that holds it.
	pullPatience, imagePatience time.Duration
	// toolDeadline is how long a workload's tool may run.
	toolDeadline func(plan.Plan, v1alpha1.Workload) time.Duration
	// inspectionDeadline is how long zdb may look at a pool.
	inspectionDeadline time.Duration
}

func defaultTimings() timings {
	return timings{
		teardownTimeout: 5 * time.Minute, reportTimeout: 10 * time.Minute, interruptedReportTimeout: 15 * time.Second,
		kernelPatience: 10 * time.Second, busyPatience: 30 * time.Second, busyPoll: 500 * time.Millisecond,
		statePoll: 2 * time.Second, gonePatience: 30 * time.Second, destroyPatience: 5 * time.Minute,
		syncPoll: time.Second, arrayPoll: 100 * time.Millisecond,
		scanPatience: 10 * time.Minute, scanPoll: 10 * time.Second, resilverPatience: 15 * time.Second,
		suspendPoll: 10 * time.Second, observePoll: time.Second, lookPatience: 5 * time.Second,
		claimPatience: 5 * time.Minute, claimPoll: time.Second,
		pullPatience: 30 * time.Minute, imagePatience: 2 * time.Minute,
		toolDeadline: plan.ToolDeadline, inspectionDeadline: plan.InspectionDeadline,
	}
}
