// SPDX-License-Identifier: Apache-2.0

package iozone

import (
	"time"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/tools"
)

// Bytes is the size of the files of all threads.
func (t Tool) Bytes() float64 { return float64(max(1, t.Threads)) * float64(t.Size.Value()) }

// Duration counts sequential operations at the disk's bandwidth. Others count at its operations per second, or at its
// bandwidth if records are so large that this is the limit.
func (t Tool) Duration() time.Duration {
	bytes := t.Bytes()
	sequential := tools.AtRate(bytes, tools.SlowBytesPerSecond)
	scattered := max(sequential, tools.AtRate(bytes/float64(t.RecordBytes()), tools.SlowIOPS))
	var total time.Duration
	for _, o := range t.Operations() {
		pass := sequential
		switch o {
		case v1alpha1.IozoneRandomRead, v1alpha1.IozoneRandomWrite, v1alpha1.IozoneBackwardRead, v1alpha1.IozoneStrideRead:
			pass = scattered
		}
		if t.Sync {
			pass = scattered
		}
		total = min(total+pass, tools.MaxDuration)
	}
	return total
}
