// SPDX-License-Identifier: Apache-2.0

package caveats

import (
	"fmt"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/text/human"
)

// partialRecords finds random I/O in blocks smaller than a record: OpenZFS reads, checks and rewrites whole records.
func partialRecords(s subject) string { return s.anyJob(s.partialRecords) }

func (s subject) partialRecords(f v1alpha1.FioWorkload) string {
	if f.RW != v1alpha1.FioRandRead && f.RW != v1alpha1.FioRandWrite && f.RW != v1alpha1.FioRandRW {
		return ""
	}
	name := "recordsize"
	if s.variant.Dataset.ZFSType() == v1alpha1.DatasetVolume {
		name = "volblocksize"
	}
	record, err := v1alpha1.ParseBlockSize(s.propertyFor(f, name))
	if err != nil {
		return ""
	}
	blocks, err := f.BlockRange()
	block := blocks.Smallest
	if err != nil || block >= record {
		return ""
	}
	return fmt.Sprintf("Its random I/O of %s is smaller than %s, which is %s: OpenZFS reads, and rewrites, %s times as "+
		"much.",
		human.Bytes(float64(block)), name, human.Bytes(float64(record)), human.Digits(float64(record)/float64(block)))
}
