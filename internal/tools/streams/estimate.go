// SPDX-License-Identifier: Apache-2.0

package streams

import (
	"time"

	"zfsbench.io/operator/internal/tools"
)

// Bytes is the size of the files of all stream counts, which stay.
func (t Tool) Bytes() float64 {
	return float64(Files(t.StreamsWorkload)) * (float64(t.Size.Value()) + tools.InodeBytes)
}

// SmallestFile is the size of each file.
func (t Tool) SmallestFile() int64 { return t.Size.Value() }

// Duration counts each phase, and writing the files first if that is not measured.
func (t Tool) Duration() time.Duration {
	passes := len(t.AllPhases())
	if t.NeedsLayout() {
		passes++
	}
	return tools.AtRate(float64(passes)*t.Bytes(), tools.SlowBytesPerSecond)
}
