// SPDX-License-Identifier: Apache-2.0

package truth

import (
	"fmt"

	"zfsbench.io/operator/internal/human"
)

// reducedRatio is what compression or deduplication must achieve before the devices see noticeably less than the workload writes. Metadata compress a little always.
const reducedRatio = 1.1

// dataNotRandom finds data of which the devices see only a part. That is no fault of the benchmark that asks for it, but whoever reads its numbers has to know.
func dataNotRandom(s subject) string {
	last := s.samples[len(s.samples)-1].Pool
	if last.CompressRatio < reducedRatio && last.DedupRatio < reducedRatio {
		return ""
	}
	asked := "fio's data are random unless bufferCompressPercentage or dedupePercentage says otherwise"
	if f := s.workload.Fio; f != nil && (f.BufferCompressPercentage != nil || f.DedupePercentage != nil) {
		asked = "the workload asks for such data"
	}
	return fmt.Sprintf("The pool stores less than what was written: compressed %s×, deduplicated %s×; %s.",
		human.Digits(max(1, last.CompressRatio)), human.Digits(max(1, last.DedupRatio)), asked)
}
