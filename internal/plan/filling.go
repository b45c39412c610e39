// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"time"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/tools"
)

// mostParallelDevices is the number of slow devices that the program which fills a pool can keep busy at once.
const mostParallelDevices = 16

// withOperations is what tools and operations on the pool store together: all is the most, with usable bytes of space;
// certain is what they store for certain, with most bytes of space. stored computes both for the tools of some
// workloads.
func withOperations(workloads []v1alpha1.Workload, stored func([]v1alpha1.Workload) (all, certain float64), usable,
	most float64) (all, certain float64) {
	// filled is what filling has added, sent what was sent to other datasets.
	type added struct{ filled, sent float64 }
	var atMost, surely added
	for i, w := range workloads {
		if w.Pool == nil {
			continue
		}
		now, nowSurely := stored(workloads[:i])
		switch {
		case w.Pool.Fill != nil:
			level := float64(w.Pool.Fill.Percent) / 100
			atMost.filled += max(0, level*usable-now-atMost.filled-atMost.sent)
			surely.filled += max(0, level*most-nowSurely-surely.filled-surely.sent)
		case w.Pool.Send != nil && w.Pool.Send.Since == "":
			atMost.sent += now + atMost.filled
			surely.sent += nowSurely
		case w.Pool.Send != nil:
			// What has changed since is at most all, and snapshots keep what it was.
			atMost.sent += now
		}
	}
	all, certain = stored(workloads)
	return all + atMost.filled + atMost.sent, certain + surely.filled + surely.sent
}

// estimateFill is the time to write, on all data devices at once, and to overwrite record by record, of which a slow
// disk does so many per second.
func estimateFill(p Plan, o v1alpha1.FillOperation) time.Duration {
	part := fillBytes(p, o) / parallelDevices(p)
	perRecord := min(tools.SlowBytesPerSecond, float64(smallestRecord(p)*tools.SlowIOPS))
	return min(tools.AtRate(part, tools.SlowBytesPerSecond)+tools.AtRate(part*float64(o.Overwrites())/100, perRecord),
		maxTimeout)
}

// fillBytes is the most that filling writes, without overwriting: that part of all devices, for any layout.
func fillBytes(p Plan, o v1alpha1.FillOperation) float64 {
	var all int64
	for _, d := range p.Devices {
		all += d.SizeBytes + d.FileSizeBytes
	}
	return float64(all) * float64(o.Percent) / 100
}

// parallelDevices is how many devices are written to at once.
func parallelDevices(p Plan) float64 {
	return float64(max(1, min(len(p.Devices), mostParallelDevices)))
}

// smallestRecord is the smallest record size of any variant, in bytes.
func smallestRecord(p Plan) int64 {
	smallest := int64(defaultRecordBytes)
	for _, v := range p.Variants {
		for _, d := range v.Dataset.WithChildren() {
			if size, err := v1alpha1.ParseBlockSize(string(d.Properties["recordsize"])); err == nil {
				smallest = min(smallest, size)
			}
		}
	}
	return smallest
}

// storedBytes is what all workloads together write, with what fills the pool.
func storedBytes(p Expanded) float64 {
	var bytes float64
	for _, w := range p.slowest() {
		bytes += workloadBytes(w)
	}
	for _, w := range p.Workloads {
		if w.Pool != nil && w.Pool.Fill != nil {
			bytes = max(bytes, fillBytes(p.Plan, *w.Pool.Fill))
		}
	}
	return bytes
}

// operationBytes is what an operation on the pool writes, if that is much.
func operationBytes(p Expanded, w v1alpha1.Workload) float64 {
	switch {
	case w.Pool == nil:
	case w.Pool.Fill != nil:
		return fillBytes(p.Plan, *w.Pool.Fill)
	case w.Pool.Send != nil:
		return storedBytes(p)
	}
	return 0
}
