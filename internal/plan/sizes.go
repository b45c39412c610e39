// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"cmp"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/api/resource"

	"zfsbench.io/operator/api/v1alpha1"
)

// Memory is that of a node, in bytes.
type Memory struct {
	// Bytes is all of it, ARCBytes the most that the ARC may take (c_max), unless a variant sets it.
	Bytes, ARCBytes int64
}

// MemoryOf is nil if any of it is not known.
func MemoryOf(bytes, arcBytes int64) *Memory {
	if bytes <= 0 || arcBytes <= 0 {
		return nil
	}
	return &Memory{Bytes: bytes, ARCBytes: arcBytes}
}

// sizeUnit is what relative sizes are rounded down to, and the multiple of it and the blocks: files are then laid out
// in large writes.
const sizeUnit = 1 << 20

// HasRelativeSizes says whether a size of any workload depends on the node or the variant.
func (p Plan) HasRelativeSizes() bool { return slices.ContainsFunc(p.Workloads, isRelative) }

func isRelative(w v1alpha1.Workload) bool { return w.Fio != nil && w.Fio.RelativeSize != "" }

// withSizes replaces relative sizes by those on a variant.
func (p Plan) withSizes(workloads []v1alpha1.Workload, v Variant) []v1alpha1.Workload {
	if !slices.ContainsFunc(workloads, isRelative) {
		return workloads
	}
	all := slices.Clone(workloads)
	for i, w := range all {
		if isRelative(w) {
			f := *w.Fio
			f.Size = *resource.NewQuantity(p.sizeOn(v, f), resource.BinarySI)
			all[i].Fio = &f
		}
	}
	return all
}

// sizeOn is what each process of a workload with a relative size works on, in bytes: its part of the whole, rounded
// down to whole MiB and blocks, at least one of both.
func (p Plan) sizeOn(v Variant, f v1alpha1.FioWorkload) int64 {
	each := int64(p.totalOn(v, f.RelativeSize) / float64(max(1, f.NumJobs)))
	unit := int64(sizeUnit)
	for _, bs := range blockTexts(f) {
		if n, err := v1alpha1.ParseBlockSize(bs); err == nil {
			unit = unit / gcd(unit, n) * n
		}
	}
	return max(each/unit*unit, unit)
}

// totalOn is a relative size on a variant, in bytes. As long as the memory is not known it is all the room of the
// variant, beyond which nothing can be written: estimates made then are on the safe side.
func (p Plan) totalOn(v Variant, s v1alpha1.RelativeSize) float64 {
	factor, of, _ := s.Parts()
	switch {
	case of == v1alpha1.RelativeToPool:
		return factor * float64(RoomOf(p, v))
	case of == v1alpha1.RelativeToARC && v.arcMaxBytes() > 0:
		return factor * float64(v.arcMaxBytes())
	case p.Memory == nil:
		return float64(RoomOf(p, v))
	case of == v1alpha1.RelativeToARC:
		return factor * float64(p.Memory.ARCBytes)
	}
	return factor * float64(p.Memory.Bytes)
}

// RoomOf is what workloads of a variant have room in: its volume, or what a new pool or baseline leaves to them.
func RoomOf(p Plan, v Variant) int64 {
	if d := v.Dataset; v.Baseline == nil && d.Type == v1alpha1.DatasetVolume && d.Volume != nil &&
		d.Volume.Filesystem == nil {
		return d.Volume.Size.Value()
	}
	// The workloads' own sizes have no say in how much room there is, but for the size of their smallest file.
	p.Workloads = slices.DeleteFunc(slices.Clone(p.Workloads), isRelative)
	if v.Filesystem() != nil {
		return EstimateFilesystem(p, v).UsableBytes
	}
	return EstimateSpace(p, v).UsableBytes
}

// arcMaxBytes is what a variant sets it to; 0 if it does not.
func (v Variant) arcMaxBytes() int64 {
	n, err := strconv.ParseInt(string(v.ModuleParameters["zfs_arc_max"]), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// blockTexts are the sizes of a job's blocks as they are written.
func blockTexts(f v1alpha1.FioWorkload) []string {
	if len(f.BSSplit) == 0 {
		return []string{cmp.Or(f.BS, v1alpha1.DefaultBS)}
	}
	var all []string
	for _, s := range f.BSSplit {
		all = append(all, s.BS)
	}
	return all
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
