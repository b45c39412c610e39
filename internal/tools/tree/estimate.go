// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"time"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/tools"
)

// BytesOf is the space that the trees of a workload take, inodes included.
func BytesOf(w v1alpha1.TreeWorkload) float64 {
	s := ShapeOf(w)
	return float64(Workers(w)) * (float64(s.Inodes())*tools.InodeBytes + float64(s.FileCount())*float64(s.FileBytes))
}

// DurationOf counts each phase until its limit, and making the tree first if that is not measured.
func DurationOf(w v1alpha1.TreeWorkload) time.Duration {
	s, workers := ShapeOf(w), float64(Workers(w))
	inodes := tools.AtRate(workers*float64(s.Inodes()), tools.SlowInodesPerSecond)
	data := tools.AtRate(workers*float64(s.FileCount())*float64(s.FileBytes), tools.SlowBytesPerSecond)
	var total time.Duration
	if NeedsLayout(w) {
		total = min(inodes+data, tools.MaxDuration)
	}
	for _, p := range w.AllPhases() {
		phase := inodes
		if p != v1alpha1.TreeStat && p != v1alpha1.TreeDelete {
			phase += data
		}
		if w.MaxTime != nil {
			phase = min(phase, w.MaxTime.Duration+tools.AtRate(tools.MaxDirtyBytes, tools.SlowBytesPerSecond))
		}
		total = min(total+phase, tools.MaxDuration)
	}
	return total
}

// Bytes is what all trees take.
func (t Tool) Bytes() float64 { return BytesOf(t.TreeWorkload) }

// SmallestFile is the size of each file.
func (t Tool) SmallestFile() int64 { return t.FileBytes() }

// Duration is the time of all phases.
func (t Tool) Duration() time.Duration { return DurationOf(t.TreeWorkload) }
