// SPDX-License-Identifier: Apache-2.0

package caveats

import (
	"fmt"

	"zfsbench.io/operator/internal/text/human"
	"zfsbench.io/operator/internal/tools/registry"
)

// reducedRatio is the least compression or deduplication that makes the devices see noticeably less than the workload
// writes. Metadata always compresses a little.
const reducedRatio = 1.1

// dataNotRandom finds workloads whose data is compressed or deduplicated, so that the devices see only a part of it.
// That may be intended, but readers of the numbers have to know. The ratios cover everything that the trial has written
// so far.
func dataNotRandom(s subject) string {
	if tool := registry.Of(s.workload); tool != nil && tool.HasOwnData() {
		return ""
	}
	last := s.samples[len(s.samples)-1].Pool
	if last.CompressRatio < reducedRatio && last.DedupRatio < reducedRatio {
		return ""
	}
	return fmt.Sprintf("The pool stores less than its trial has written so far: compressed %s×, deduplicated %s×. "+
		"Unless that is meant, use random data: with fio, "+
		"leave bufferCompressPercentage and dedupePercentage out.", human.Digits(max(1, last.CompressRatio)),
		human.Digits(max(1, last.DedupRatio)))
}
