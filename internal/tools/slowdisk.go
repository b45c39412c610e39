// SPDX-License-Identifier: Apache-2.0

package tools

import "time"

// Estimates of a tool's time use these constants. They describe a slow disk, not the real one: if the estimate is too
// long, that costs only waiting; if it is too short, that costs the result.
const (
	// SlowBytesPerSecond is a slow disk's sequential rate, SlowIOPS its random one.
	SlowBytesPerSecond = 16 << 20
	SlowIOPS           = 100
	// SlowInodesPerSecond is how many files and directories a slow disk creates or finds per second.
	SlowInodesPerSecond = 200
	// InodeBytes is the space of one file or directory, with its entry in the parent directory.
	InodeBytes = 1 << 10
	// MaxDirtyBytes is the largest zfs_dirty_data_max by default: this much data can still be in memory when a tool has
	// ended.
	MaxDirtyBytes = 4 << 30
	// MaxDuration is the longest estimate.
	MaxDuration = 30 * 24 * time.Hour
)

// AtRate is the time for some bytes or operations at a rate per second, at most MaxDuration.
func AtRate(amount, perSecond float64) time.Duration {
	seconds := min(amount/perSecond, MaxDuration.Seconds())
	return time.Duration(seconds * float64(time.Second))
}
