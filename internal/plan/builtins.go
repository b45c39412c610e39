// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"time"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/tools/streams"
)

// streamsBytes counts the files of all counts of streams, which stay.
func streamsBytes(w v1alpha1.StreamsWorkload) float64 {
	return float64(streams.Files(w)) * (float64(w.Size.Value()) + inodeBytes)
}

// estimateStreams counts each phase, and writing before if that is not measured.
func estimateStreams(w v1alpha1.StreamsWorkload) time.Duration {
	passes := len(w.AllPhases())
	if streams.NeedsLayout(w) {
		passes++
	}
	return atRate(float64(passes)*streamsBytes(w), slowBytesPerSecond)
}

// copyBytes is what is copied, and the copy.
func copyBytes(w v1alpha1.CopyWorkload) float64 { return 2 * treeBytes(w.Source()) }

// estimateCopy counts making the tree, and reading and making it once more until the limit.
func estimateCopy(w v1alpha1.CopyWorkload) time.Duration {
	layout := estimateTree(w.Source())
	run := min(2*layout, maxTimeout)
	if w.MaxTime != nil {
		run = min(run, w.MaxTime.Duration+atRate(maxDirtyBytes, slowBytesPerSecond))
	}
	return min(layout+run, maxTimeout)
}
