// SPDX-License-Identifier: Apache-2.0

package fio

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/text/fields"
)

const (
	minBlockShares, maxBlockShares = 2, 8

	badBlockSize = "bs must be a number of bytes from 1 to 64M, with k or M for powers of 1024, for example 128k"
)

// CheckBlocks checks the sizes of a job's blocks, and what depends on their bytes. What recordsize stands for is
// checked with the variants.
func CheckBlocks(f *v1alpha1.FioWorkload, path *field.Path) field.ErrorList {
	switch {
	case len(f.BSSplit) > 0:
		return blockSplit(f, path)
	case f.BS == v1alpha1.BSRecordsize:
		return nil
	}
	errs := blockSize(f, f.BS, path.Child("bs"), path.Child("size"))
	return append(errs, buffers(f, path.Child("bs"))...)
}

// blockSize checks one size of the job's blocks, and the size of its files against it.
func blockSize(f *v1alpha1.FioWorkload, written string, at, ofSize *field.Path) field.ErrorList {
	bs, err := v1alpha1.ParseBlockSize(written)
	if err != nil || bs > maxBlockSizeBytes {
		message := badBlockSize
		if len(f.BSSplit) == 0 {
			message += ", or recordsize"
		}
		return field.ErrorList{field.Invalid(at, written, message)}
	}
	var errs field.ErrorList
	if n, whole := fields.Bytes(f.Size); whole && n%bs != 0 {
		errs = append(errs, field.Invalid(ofSize, fields.Text(f.Size), "size must be a multiple of bs"))
	}
	if f.Direct && bs%512 != 0 {
		errs = append(errs, field.Invalid(at, written, "bs must be a multiple of 512 with direct"))
	}
	return errs
}

// buffers checks the memory that the largest of the blocks, which are valid or said not to be, take.
func buffers(f *v1alpha1.FioWorkload, at *field.Path) field.ErrorList {
	r, err := f.BlockRange()
	if err != nil || r.Largest*int64(f.IODepth)*int64(f.NumJobs) <= maxBuffersBytes {
		return nil
	}
	return field.ErrorList{field.Invalid(at, r.Largest, tooManyBuffers)}
}

// blockSplit checks a mixture of blocks.
func blockSplit(f *v1alpha1.FioWorkload, path *field.Path) field.ErrorList {
	at := path.Child("bsSplit")
	errs := fields.Count(len(f.BSSplit), minBlockShares, maxBlockShares, at)
	if f.BS != "" {
		errs = append(errs, field.Invalid(at, f.BS, "only one of bs and bsSplit can be set"))
	}
	var percent int32
	seen := map[int64]bool{}
	for i, s := range f.BSSplit {
		item := at.Index(i)
		errs = append(errs, fields.Between(s.Percent, 1, 99, item.Child("percent"))...)
		percent += s.Percent
		wrong := blockSize(f, s.BS, item.Child("bs"), path.Child("size"))
		if n, err := v1alpha1.ParseBlockSize(s.BS); err == nil {
			if seen[n] {
				wrong = append(wrong, field.Duplicate(item.Child("bs"), s.BS))
			}
			seen[n] = true
		}
		errs = append(errs, wrong...)
	}
	if percent != 100 {
		errs = append(errs, field.Invalid(at, percent, "the percentages of bsSplit must add up to 100"))
	}
	return append(errs, buffers(f, at)...)
}
