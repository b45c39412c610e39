// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"cmp"
	"slices"
)

// BSRecordsize is the block size of the dataset: the recordsize of a filesystem, the volblocksize of a
// volume.
const BSRecordsize = "recordsize"

// DefaultBS is fio's default block size.
const DefaultBS = "4k"

// defaultRecordsize is the default recordsize of every version of OpenZFS. The default of volblocksize differs between
// them.
const defaultRecordsize = "128K"

// BlockRange is the sizes of a job's blocks, in bytes. Mean is weighted by their shares.
//
// +kubebuilder:object:generate=false
type BlockRange struct {
	Smallest, Largest int64
	Mean              float64
}

// BlockRange fails on text that is not a size, for example recordsize before it was replaced by one. It does not look
// at jobs.
func (w FioWorkload) BlockRange() (BlockRange, error) {
	shares := w.BSSplit
	if len(shares) == 0 {
		shares = []FioBlockShare{{BS: cmp.Or(w.BS, DefaultBS), Percent: 100}}
	}
	var r BlockRange
	for i, s := range shares {
		n, err := ParseBlockSize(s.BS)
		if err != nil {
			return BlockRange{}, err
		}
		if i == 0 {
			r.Smallest = n
		}
		r.Smallest, r.Largest = min(r.Smallest, n), max(r.Largest, n)
		r.Mean += float64(n) * float64(s.Percent) / 100
	}
	return r, nil
}

// FollowsRecords says whether the block size of any job is recordsize.
func (w FioWorkload) FollowsRecords() bool {
	return slices.ContainsFunc(w.AllJobs(), func(j SingleFioJob) bool { return j.BS == BSRecordsize })
}

// WithRecords is the workload with the block size of the dataset in place of recordsize. A job in a child gets the
// child's block size.
func (w FioWorkload) WithRecords(d DatasetSpec) FioWorkload {
	w.Jobs = slices.Clone(w.Jobs)
	for i, j := range w.AllJobs() {
		if len(w.Jobs) > 0 && j.BS == BSRecordsize {
			w.Jobs[i].BS = d.recordsizeFor(j.FioWorkload)
		}
	}
	if w.BS == BSRecordsize {
		w.BS = d.recordsizeFor(w)
	}
	return w
}

// recordsizeFor is the size of the blocks of the dataset that a job works in.
func (d DatasetSpec) recordsizeFor(w FioWorkload) string {
	in, _ := d.Child(w.Dataset)
	return in.Recordsize()
}

// Recordsize is the size of the dataset's blocks as fio writes it, for example 128k; empty for a volume that does not
// set its volblocksize, whose default differs between versions of OpenZFS.
func (d DatasetSpec) Recordsize() string {
	size := string(d.Properties["volblocksize"])
	if d.Type != DatasetVolume {
		size = cmp.Or(string(d.Properties["recordsize"]), defaultRecordsize)
	}
	return size
}
