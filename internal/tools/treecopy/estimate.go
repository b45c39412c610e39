// SPDX-License-Identifier: Apache-2.0

package treecopy

import (
	"time"

	"zfsbench.io/operator/internal/tools"
	"zfsbench.io/operator/internal/tools/tree"
)

// Bytes is the size of the source and of the copy.
func (t Tool) Bytes() float64 { return 2 * tree.BytesOf(t.Source()) }

// SmallestFile is the size of each file.
func (t Tool) SmallestFile() int64 { return t.Source().FileBytes() }

// Duration counts making the tree, and then copying it, at most until the limit.
func (t Tool) Duration() time.Duration {
	layout := tree.DurationOf(t.Source())
	run := min(2*layout, tools.MaxDuration)
	if t.MaxTime != nil {
		run = min(run, t.MaxTime.Duration+tools.AtRate(tools.MaxDirtyBytes, tools.SlowBytesPerSecond))
	}
	return min(layout+run, tools.MaxDuration)
}
