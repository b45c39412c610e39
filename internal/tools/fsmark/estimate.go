// SPDX-License-Identifier: Apache-2.0

package fsmark

import (
	"time"

	"zfsbench.io/operator/internal/tools"
)

// files is the number of files of all threads together.
func (t Tool) files() float64 {
	return float64(t.WithDefaults().Files) * float64(t.WithDefaults().Threads)
}

// Bytes are all files.
func (t Tool) Bytes() float64 {
	return t.files() * (float64(t.SmallestFile()) + tools.InodeBytes)
}

// SmallestFile is the size of each file.
func (t Tool) SmallestFile() int64 { return t.WithDefaults().FileSize.Value() }

// Duration counts making and removing the files, writing their data, and a wait for each synced file.
func (t Tool) Duration() time.Duration {
	const madeAndRemoved = 2
	total := tools.AtRate(madeAndRemoved*t.files(), tools.SlowInodesPerSecond) + tools.AtRate(t.Bytes(),
		tools.SlowBytesPerSecond)
	if t.WithDefaults().Sync.SyncsEachFile() {
		total += tools.AtRate(t.files(), tools.SlowIOPS)
	}
	return min(total, tools.MaxDuration)
}
