// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"time"

	"zfsbench.io/operator/internal/plan"
)

// storageTimings are how often kinds of storage look at what they wait for (poll), how long they wait (patience), and
// when they end what takes too long (deadline). Tests shorten them.
type storageTimings struct {
	// kernelPatience is how long a system call may take to return after its time is up.
	kernelPatience time.Duration
	// busyPatience is how long a pool may stay busy after its last user is gone: the kernel releases an ended sandbox's
	// mounts a little later.
	busyPatience, busyPoll time.Duration
	// statePoll is how often the kernel is asked whether recorded disks are still there.
	statePoll time.Duration
	// gonePatience is how long a pool whose devices are gone may take to be torn down: one with others left is not
	// held up.
	gonePatience time.Duration
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
	// claimPatience is how long a volume and its pod may take to be there, or to be gone. The driver looks for new pools
	// once a minute.
	claimPatience, claimPoll time.Duration
	// inspectionDeadline is how long zdb may look at a pool.
	inspectionDeadline time.Duration
}

func defaultStorageTimings() storageTimings {
	return storageTimings{
		kernelPatience: 10 * time.Second, busyPatience: 30 * time.Second, busyPoll: 500 * time.Millisecond,
		statePoll: 2 * time.Second, gonePatience: 30 * time.Second,
		syncPoll: time.Second, arrayPoll: 100 * time.Millisecond,
		scanPatience: 10 * time.Minute, scanPoll: 10 * time.Second, resilverPatience: 15 * time.Second,
		claimPatience: 5 * time.Minute, claimPoll: time.Second, inspectionDeadline: plan.InspectionDeadline,
	}
}
