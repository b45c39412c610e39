// SPDX-License-Identifier: Apache-2.0

package caveats

import (
	"fmt"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/text/human"
)

// directFraction is the part of a workload's I/O that must have bypassed the ARC if direct had an effect.
const directFraction = 0.5

// directIgnored compares the option direct with the direct I/O that OpenZFS counts. OpenZFS before 2.3 ignores
// O_DIRECT; later versions ignore it only on zvols, and for I/O that is not aligned to the page or the record.
func directIgnored(s subject) string {
	if !s.allFio(func(j v1alpha1.FioWorkload) bool { return j.Direct }) {
		return ""
	}
	var all, direct float64
	for _, sample := range s.samples {
		all += float64(sample.BytesRead() + sample.BytesWritten())
		direct += float64(sample.DirectReadBytes + sample.DirectWrittenBytes)
	}
	if all == 0 || direct >= directFraction*all {
		return ""
	}
	return fmt.Sprintf("It asks for O_DIRECT, but only %s of its I/O bypassed the ARC. OpenZFS needs version 2.3, a "+
		"filesystem, and a bs that is a multiple of recordsize to write directly.",
		human.Percent(direct/all))
}
