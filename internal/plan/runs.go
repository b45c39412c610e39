// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/resource"

	"zfsbench.io/operator/api/v1alpha1"
)

// Run is one run of a workload in a trial; each gives a sample.
type Run struct {
	Workload v1alpha1.Workload
	// Pass counts from 1 where the workload has several; else it is 0.
	Pass int
	// Round is set by whoever repeats a workload until it is steady, and counts from 1. All rounds together give one
	// sample.
	Round int
}

// Runs are the runs of a trial, in their order. Sizes and block sizes that depend on the variant are in RunsOn.
func (p Plan) Runs() []Run { return runs(p.Workloads) }

// RunsOn are the runs of a trial of a variant, in their order.
func (p Expanded) RunsOn(v Variant) []Run { return runs(p.WorkloadsOn(v)) }

func runs(workloads []v1alpha1.Workload) []Run {
	all := make([]Run, 0, len(workloads))
	for _, w := range workloads {
		n := w.Passes()
		for pass := 1; pass <= n && n > 1; pass++ {
			all = append(all, Run{Workload: w, Pass: pass})
		}
		if n == 1 {
			all = append(all, Run{Workload: w})
		}
	}
	return all
}

// IsLater says whether it runs on what an earlier pass or round has left, in the cache as well as in the files.
func (r Run) IsLater() bool { return r.Pass > 1 || r.Round > 1 }

// IsRepeated says whether it is repeated until it is steady.
func (r Run) IsRepeated() bool { return r.Workload.Fio != nil && r.Workload.Fio.SteadyState != nil }

// SizeBytes is the size of each process, for a workload with a relative size; 0 for all others.
func (r Run) SizeBytes() int64 {
	if !isRelative(r.Workload) {
		return 0
	}
	return r.Workload.Fio.Size.Value()
}

// Cache is the state of the cache that it begins with: only the first pass can be cold.
func (r Run) Cache() v1alpha1.CacheState {
	if r.IsLater() || r.Workload.Cache == v1alpha1.CacheWarm {
		return v1alpha1.CacheWarm
	}
	return v1alpha1.CacheCold
}

// Name tells it from all others of its trial. No workload is called like a pass of another one, because no workload's
// name has a dot.
func (r Run) Name() string {
	switch {
	case r.Pass > 0:
		return fmt.Sprintf("%s.pass%d", r.Workload.Name, r.Pass)
	case r.Round > 0:
		return fmt.Sprintf("%s.round%d", r.Workload.Name, r.Round)
	}
	return r.Workload.Name
}

// Single is the workload as if it had no other passes and rounds.
func (r Run) Single() v1alpha1.Workload {
	if r.Pass+r.Round == 0 {
		return r.Workload
	}
	w := *r.Workload.DeepCopy()
	w.Fio.Passes, w.Fio.SteadyState = 0, nil
	return w
}

// WorkloadsOn are the plan's workloads as they run on a variant: see WorkloadOn.
func (p Expanded) WorkloadsOn(v Variant) []v1alpha1.Workload {
	all := slices.Clone(p.Workloads)
	for i, w := range all {
		var size int64
		if sizes := p.bytes[v.Name]; sizes != nil {
			size = sizes[i]
		}
		all[i] = WorkloadOn(v, w, size)
	}
	return all
}

// WorkloadOn is a workload as it runs on a variant: with the size of the variant's blocks where a block size is
// recordsize, and with a size in bytes in place of a relative one.
func WorkloadOn(v Variant, w v1alpha1.Workload, sizeBytes int64) v1alpha1.Workload {
	if !dependsOnVariant(w) {
		return w
	}
	f := w.Fio.WithRecords(v.Dataset)
	if isRelative(w) {
		f.Size = *resource.NewQuantity(sizeBytes, resource.BinarySI)
	}
	w.Fio = &f
	return w
}

// dependsOnVariant says whether a workload has blocks or a size that only a variant says.
func dependsOnVariant(w v1alpha1.Workload) bool {
	return w.Fio != nil && w.Fio.FollowsRecords() || isRelative(w)
}

// slowest are the workloads with their smallest blocks and largest sizes on any variant: these take longest.
func (p Expanded) slowest() []v1alpha1.Workload {
	if !slices.ContainsFunc(p.Workloads, dependsOnVariant) {
		return p.Workloads
	}
	var worst []v1alpha1.Workload
	for _, v := range p.Variants {
		on := p.WorkloadsOn(v)
		if worst == nil {
			worst = slices.Clone(on)
		}
		for i, w := range on {
			if dependsOnVariant(p.Workloads[i]) {
				worst[i].Fio = slower(*worst[i].Fio, *w.Fio)
			}
		}
	}
	return worst
}

// slower combines a workload's forms on two variants: the smaller blocks and the larger size.
func slower(a, b v1alpha1.FioWorkload) *v1alpha1.FioWorkload {
	if b.Size.Cmp(a.Size) > 0 {
		a.Size = b.Size
	}
	for i, j := range b.AllJobs() {
		smaller, err := j.BlockRange()
		have, wrong := a.AllJobs()[i].BlockRange()
		if err == nil && wrong == nil && smaller.Smallest < have.Smallest {
			a.BS, a.Jobs = b.BS, b.Jobs
			break
		}
	}
	return &a
}
