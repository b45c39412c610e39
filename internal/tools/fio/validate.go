// SPDX-License-Identifier: Apache-2.0

package fio

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/text/fields"
)

const (
	// MaxProcesses is how many processes all jobs together may have. The CRD has the same bound for each job.
	MaxProcesses = 1000

	maxBuffersBytes = 4 << 30

	tooManyBuffers = "bs x ioDepth x numJobs, the memory for buffers, must be at most 4 GiB"
)

// Validate checks the block size mixtures of each job, with the fields that it inherits from the workload, and then the
// totals of all jobs. The CRD has no arithmetic over lists; it has checked everything else.
func (t Tool) Validate(path *field.Path) field.ErrorList {
	f := &t.FioWorkload
	if len(f.Jobs) == 0 {
		return CheckBlocks(f, path)
	}
	var errs field.ErrorList
	for i, j := range f.AllJobs() {
		errs = append(errs, CheckBlocks(&j.FioWorkload, path.Child("jobs").Index(i))...)
	}
	if len(errs) > 0 {
		return errs
	}
	return allJobs(f, path.Child("jobs"))
}

// CheckBlocks checks a block size mixture: each share like the CRD checks bs.
func CheckBlocks(f *v1alpha1.FioWorkload, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	at, seen := path.Child("bsSplit"), map[int64]bool{}
	for i, s := range f.BSSplit {
		bs, err := v1alpha1.ParseBlockSize(s.BS)
		if err != nil {
			continue // The CRD refuses it.
		}
		if seen[bs] {
			errs = append(errs, field.Duplicate(at.Index(i).Child("bs"), s.BS))
		}
		seen[bs] = true
		if n, whole := fields.Bytes(f.Size); whole && n%bs != 0 {
			errs = append(errs, field.Invalid(path.Child("size"), fields.Text(f.Size), "size must be a multiple of bs"))
		}
		if f.Direct && bs%512 != 0 {
			errs = append(errs, field.Invalid(at.Index(i).Child("bs"), s.BS, "bs must be a multiple of 512 with direct"))
		}
	}
	if r, err := f.BlockRange(); len(f.BSSplit) > 0 && err == nil &&
		r.Largest*int64(f.IODepth)*int64(f.NumJobs) > maxBuffersBytes {
		errs = append(errs, field.Invalid(at, r.Largest, tooManyBuffers))
	}
	return errs
}

// allJobs checks what the jobs, of which each is valid, take together.
func allJobs(f *v1alpha1.FioWorkload, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	var processes, buffers int64
	for _, j := range f.AllJobs() {
		// Blocks that have no size yet are checked with the variants.
		r, _ := j.BlockRange()
		processes += int64(j.NumJobs)
		buffers += r.Largest * int64(j.IODepth) * int64(j.NumJobs)
	}
	if processes > MaxProcesses {
		errs = append(errs, field.Invalid(path, processes,
			fmt.Sprintf("numJobs of all jobs together must be at most %d", MaxProcesses)))
	}
	if buffers > maxBuffersBytes {
		errs = append(errs, field.Invalid(path, buffers, tooManyBuffers+" for all jobs together"))
	}
	return errs
}
