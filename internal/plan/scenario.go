// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"slices"
	"time"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/tools"
)

// slowSnapshotsPerSecond is how many snapshots a slow disk takes: each waits for a transaction group, which is a dozen
// requests.
const slowSnapshotsPerSecond = 5

// estimateOperation is how long an operation on a pool takes on slow disks. A scan goes through all devices at once,
// and through a whole one at most; so does what is written to a new one.
func estimateOperation(p Expanded, o v1alpha1.PoolOperation) time.Duration {
	switch {
	case o.Fill != nil:
		return estimateFill(p.Plan, *o.Fill)
	case o.Send != nil:
		// All of it is read and written.
		return min(2*tools.AtRate(storedBytes(p), tools.SlowBytesPerSecond), maxTimeout)
	case o.Clone != nil:
		return tools.AtRate(float64(max(1, o.Clone.Count)), slowSnapshotsPerSecond)
	case o.Scrub != nil, o.Trim != nil, o.Online != nil, o.Replace != nil:
		return tools.AtRate(float64(largestDevice(p.Plan)), tools.SlowBytesPerSecond)
	case o.Snapshot != nil:
		return tools.AtRate(float64(max(1, o.Snapshot.Count)), slowSnapshotsPerSecond)
	}
	return 0
}

// largestDevice is its size in bytes.
func largestDevice(p Plan) int64 {
	var largest int64
	for _, d := range p.Devices {
		largest = max(largest, d.SizeBytes, d.FileSizeBytes)
	}
	return largest
}

// PlacesOf are the names of all devices and partitions that a variant uses, including the ones that replace others
// later.
func (p Plan) PlacesOf(v Variant) []string {
	if v.Baseline != nil && v.Array() == nil {
		return v.Places()
	}
	return slices.Concat(v.Places(), v1alpha1.Replacements(p.Workloads))
}

// checkReplacements refuses disks that are smaller than what they replace, by their sizes in bytes; validation has
// checked files.
func checkReplacements(workloads []v1alpha1.Workload, sizes map[string]int64) error {
	for _, w := range workloads {
		on := w.OnPool()
		if on == nil || on.Replace == nil {
			continue
		}
		o := *on.Replace
		old, with := sizes[o.Device], sizes[o.With]
		if old > 0 && with > 0 && with < old {
			return mismatch("Workload %s replaces %s of %d bytes by %s of %d bytes, by what the policies promise: it must be "+
				"at least as large.", w.Name, o.Device, old, o.With, with)
		}
	}
	return nil
}
