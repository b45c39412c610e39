// SPDX-License-Identifier: Apache-2.0

package target

import (
	"time"

	"zfsbench.io/operator/internal/plan"
)

// Timings are how often kinds of storage look at what they wait for (poll), how long they wait (patience), and
// when they end what takes too long (deadline). Tests shorten them.
type Timings struct {
	// KernelPatience is how long a system call may take to return after its time is up.
	KernelPatience time.Duration
	// BusyPatience is how long a pool may stay busy after its last user is gone: the kernel releases an ended sandbox's
	// mounts a little later.
	BusyPatience, BusyPoll time.Duration
	// StatePoll is how often the kernel is asked whether recorded disks are still there.
	StatePoll time.Duration
	// GonePatience is how long a pool whose devices are gone may take to be torn down: one with others left is not
	// held up.
	GonePatience time.Duration
	// SyncPoll is how often the runner looks how far the first sync of an md array is.
	SyncPoll time.Duration
	// ArrayPoll is how often the runner looks whether an array is done with an operation: its time is as exact as that.
	ArrayPoll time.Duration
	// ScanPatience is how long a scrub or a resilver may go on without reading anything. It reads metadata first and
	// sorts it, but no disk takes minutes for one request.
	ScanPatience, ScanPoll time.Duration
	// ResilverPatience is how long a resilver may take to begin: OpenZFS asks for it with the next transaction group or
	// the one after, each of which takes 5 seconds at most by default.
	ResilverPatience time.Duration
	// ClaimPatience is how long a volume and its pod may take to be there, or to be gone. The driver looks for new pools
	// once a minute.
	ClaimPatience, ClaimPoll time.Duration
	// InspectionDeadline is how long zdb may look at a pool.
	InspectionDeadline time.Duration
}

// DefaultTimings are the times of a real node.
func DefaultTimings() Timings {
	return Timings{
		KernelPatience: 10 * time.Second, BusyPatience: 30 * time.Second, BusyPoll: 500 * time.Millisecond,
		StatePoll: 2 * time.Second, GonePatience: 30 * time.Second,
		SyncPoll: time.Second, ArrayPoll: 100 * time.Millisecond,
		ScanPatience: 10 * time.Minute, ScanPoll: 10 * time.Second, ResilverPatience: 15 * time.Second,
		ClaimPatience: 5 * time.Minute, ClaimPoll: time.Second, InspectionDeadline: plan.InspectionDeadline,
	}
}
