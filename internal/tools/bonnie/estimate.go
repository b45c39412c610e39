// SPDX-License-Identifier: Apache-2.0

package bonnie

import (
	"time"

	"zfsbench.io/operator/internal/tools"
)

// Bytes is the larger of the two sets of files, which never exist at the same time.
func (t Tool) Bytes() float64 {
	var bytes float64
	if t.Size != nil {
		bytes = float64(t.Size.Value())
	}
	if f := t.Files; f != nil {
		bytes = max(bytes, float64(f.Count)*filesUnit*(float64(f.MaxSize)+tools.InodeBytes))
	}
	return bytes
}

// Duration counts each test of throughput, and six tests of files.
func (t Tool) Duration() time.Duration {
	var total time.Duration
	if t.Size != nil {
		const passes = 4 // writing, rewriting, which reads as well, reading
		total += tools.AtRate(passes*float64(t.Size.Value()), tools.SlowBytesPerSecond)
		total += tools.AtRate(defaultSeeks, tools.SlowIOPS)
	}
	if f := t.Files; f != nil {
		const tests = 6
		files := float64(f.Count) * filesUnit
		total += tools.AtRate(tests*files, tools.SlowInodesPerSecond) + tools.AtRate(tests*files*float64(f.MaxSize),
			tools.SlowBytesPerSecond)
	}
	return min(total, tools.MaxDuration)
}
