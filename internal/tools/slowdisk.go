// SPDX-License-Identifier: Apache-2.0

package tools

import "time"

// What estimates of a tool's time assume. They describe a slow disk, not the one at hand: a time that is estimated too
// long costs a wait, one too short costs the result.
const (
	// SlowBytesPerSecond is a slow disk's sequential rate, SlowIOPS its random one.
	SlowBytesPerSecond = 16 << 20
	SlowIOPS           = 100
	// SlowInodesPerSecond is how many files and directories it makes or finds.
	SlowInodesPerSecond = 200
	// InodeBytes is what one of them takes, in a directory and by itself.
	InodeBytes = 1 << 10
	// MaxDirtyBytes is the most that OpenZFS lets zfs_dirty_data_max be by default: so much can still be in memory when a
	// tool has ended.
	MaxDirtyBytes = 4 << 30
	// MaxDuration is the longest estimate.
	MaxDuration = 30 * 24 * time.Hour
)

// AtRate is the time for some bytes or operations at a rate per second, at most MaxDuration.
func AtRate(amount, perSecond float64) time.Duration {
	seconds := min(amount/perSecond, MaxDuration.Seconds())
	return time.Duration(seconds * float64(time.Second))
}
