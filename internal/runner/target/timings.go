// SPDX-License-Identifier: Apache-2.0

package target

import (
	"time"

	"zfsbench.io/operator/internal/plan"
)

// Timings say how often kinds of storage check what they wait for (poll), how long they wait (patience), and when they
// end what takes too long (deadline). Tests shorten them.
type Timings struct {
	// KernelPatience is how long a system call may still take to return after its context has ended.
	KernelPatience time.Duration
	// BusyPatience is how long a pool may stay busy after its last user is gone: the kernel releases an ended sandbox's
	// mounts a little later.
	BusyPatience, BusyPoll time.Duration
	// StatePoll is how often the runner checks whether targets and recorded disks are still there.
	StatePoll time.Duration
	// GonePatience is how long a teardown may go on after devices are lost: a pool that still has others can be torn down
	// in this time.
	GonePatience time.Duration
	// SyncPoll is how often the runner checks how far the first sync of an md array is.
	SyncPoll time.Duration
	// ArrayPoll is how often the runner checks whether an array has finished an operation. The operation's time is as
	// exact as this.
	ArrayPoll time.Duration
	// ScanPatience is how long a scrub or a resilver may run without reading anything. It reads metadata first and sorts
	// it, but no disk takes minutes for one request.
	ScanPatience, ScanPoll time.Duration
	// ResilverPatience is how long a resilver may take to begin: OpenZFS starts it with the next transaction group or the
	// one after, each of which takes at most 5 seconds by default.
	ResilverPatience time.Duration
	// ClaimPatience is how long it may take to create or to remove a volume and its pod. The driver looks for new pools
	// once a minute.
	ClaimPatience, ClaimPoll time.Duration
	// InspectionDeadline is how long one inspection of a pool or filesystem may take.
	InspectionDeadline time.Duration
}

// DefaultTimings are the timings for a real node.
func DefaultTimings() Timings {
	return Timings{
		KernelPatience: 10 * time.Second, BusyPatience: 30 * time.Second, BusyPoll: 500 * time.Millisecond,
		StatePoll: 2 * time.Second, GonePatience: 30 * time.Second,
		SyncPoll: time.Second, ArrayPoll: 100 * time.Millisecond,
		ScanPatience: 10 * time.Minute, ScanPoll: 10 * time.Second, ResilverPatience: 15 * time.Second,
		ClaimPatience: 5 * time.Minute, ClaimPoll: time.Second, InspectionDeadline: plan.InspectionDeadline,
	}
}
