// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"cmp"
	"slices"
	"strconv"

	"zfsbench.io/operator/api/v1alpha1"
)

// Memory is what relative sizes are relative to, in bytes.
type Memory struct {
	// Bytes is all memory of the node, ARCBytes the most that the ARC may take (c_max) unless a variant sets it.
	Bytes, ARCBytes int64
}

// MemoryOf is nil unless both values are known.
func MemoryOf(bytes, arcBytes int64) *Memory {
	if bytes <= 0 || arcBytes <= 0 {
		return nil
	}
	return &Memory{Bytes: bytes, ARCBytes: arcBytes}
}

// Expanded is a plan with the relative sizes of its workloads in bytes. The runner records these sizes in its samples.
// Readers of results take the sizes from the samples.
type Expanded struct {
	Plan
	// bytes are the sizes on each variant, by its name and in the order of the workloads; 0 for sizes that are not
	// relative. The map is nil without relative sizes.
	bytes map[string][]int64
}

// Expand computes the sizes from the node's memory. As long as that is not known (nil), a size is all the room of the
// variant, because nothing larger can be written: estimates are then on the safe side.
func Expand(p Plan, memory *Memory) Expanded {
	expanded := Expanded{Plan: p}
	if !p.HasRelativeSizes() {
		return expanded
	}
	expanded.bytes = make(map[string][]int64, len(p.Variants))
	for _, v := range p.Variants {
		room, sizes := RoomOf(p, v), make([]int64, len(p.Workloads))
		for i, w := range p.Workloads {
			if isRelative(w) {
				f := w.Fio.WithRecords(v.Dataset)
				sizes[i] = sizeOfProcess(f, totalOn(v, f.RelativeSize, room, memory))
			}
		}
		expanded.bytes[v.Name] = sizes
	}
	return expanded
}

// sizeUnit is what relative sizes are rounded down to, and the multiple of it and the blocks: files are then laid out
// in large writes.
const sizeUnit = 1 << 20

// HasRelativeSizes says whether a size of any workload depends on the node or the variant.
func (p Plan) HasRelativeSizes() bool { return slices.ContainsFunc(p.Workloads, isRelative) }

func isRelative(w v1alpha1.Workload) bool { return w.Fio != nil && w.Fio.RelativeSize != "" }

// sizeOfProcess is the part of each process of a workload, in bytes, rounded down to whole MiB and blocks; at least one
// of both.
func sizeOfProcess(f v1alpha1.FioWorkload, total float64) int64 {
	each := int64(total / float64(max(1, f.NumJobs)))
	unit := int64(sizeUnit)
	for _, bs := range blockTexts(f) {
		if n, err := v1alpha1.ParseBlockSize(bs); err == nil {
			unit = unit / gcd(unit, n) * n
		}
	}
	return max(each/unit*unit, unit)
}

// totalOn is a relative size on a variant, in bytes.
func totalOn(v Variant, s v1alpha1.RelativeSize, room int64, memory *Memory) float64 {
	factor, of, _ := s.Parts()
	switch {
	case of == v1alpha1.RelativeToPool:
		return factor * float64(room)
	case of == v1alpha1.RelativeToARC && v.arcMaxBytes() > 0:
		return factor * float64(v.arcMaxBytes())
	case memory == nil:
		return float64(room)
	case of == v1alpha1.RelativeToARC:
		return factor * float64(memory.ARCBytes)
	}
	return factor * float64(memory.Bytes)
}

// RoomOf is how much the workloads of a variant can store, in bytes: the size of its volume, or what a new pool or
// baseline leaves to them.
func RoomOf(p Plan, v Variant) int64 {
	if d := v.Dataset; v.Baseline == nil && d.Type == v1alpha1.DatasetVolume && d.Volume != nil &&
		d.Volume.Filesystem == nil {
		return d.Volume.Size.Value()
	}
	// Relative sizes depend on the room, so it cannot depend on them.
	p.Workloads = slices.DeleteFunc(slices.Clone(p.Workloads), isRelative)
	if v.Filesystem() != nil {
		return EstimateFilesystem(Expanded{Plan: p}, v).UsableBytes
	}
	return EstimateSpace(Expanded{Plan: p}, v).UsableBytes
}

// arcMaxBytes is the variant's zfs_arc_max in bytes; 0 if it does not set it.
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
