// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/spec/matrix"
	"zfsbench.io/operator/internal/spec/validate"
	"zfsbench.io/operator/internal/text/human"
)

// These constants estimate the memory that the manager needs to read all results of a benchmark at once and report on
// them. They were measured with BenchmarkAtSize and GOMEMLIMIT=100MiB, so that there is almost no garbage: 155 MiB for
// 2,500 trials of one sample, 254 MiB for 5,000, 309 MiB for 2,500 of four samples, and 268 MiB for 1,000 of eight.
// About 56 MiB of each is the program. The reserve is for the program, for caches and for the results of other
// benchmarks.
const (
	bytesPerTrial  = 24 << 10
	bytesPerSample = 24 << 10
	memoryReserve  = 128 << 20
)

// checkSize plans a benchmark that all nodes agree to run, and refuses one with too many results for this manager. It
// returns an error if no plan can be made, now or later. It plans for one node only, because the other plans differ
// only in names and serial numbers; a plan that is too large in spite of that fails on its node.
func (r *Reconciler) checkSize(s *scope, names []string) (*refusal, error) {
	p, err := plan.Build(r.planInput(s, plan.Node{Name: names[0], UID: string(s.nodes[names[0]].UID)}))
	if err != nil {
		return nil, err
	}
	return refuseSize(len(names), len(p.Trials), validate.Samples(p.Workloads), r.MemoryLimit), nil
}

// refuseSize returns the refusal if so many trials with so many samples on each node are too many for a manager with so
// much memory, or nil. More memory resolves it.
func refuseSize(nodes, trials, samples int, memory int64) *refusal {
	each := float64(bytesPerTrial + bytesPerSample*samples)
	room := max(0, float64(memory)-memoryReserve)
	need := float64(nodes*trials) * each
	if memory == 0 || need <= room {
		return nil
	}
	return &refusal{reason: v1alpha1.ReasonTooManyTrials, message: fmt.Sprintf(
		"To report on %s trials the manager would need about %s of memory. It may use %s for this, which is enough for "+
			"%s trials: use fewer variants, repetitions or nodes, or give the manager more memory "+
			"(manager.resources.limits.memory of the chart).",
		matrix.Grouped(nodes*trials), human.Bytes(need), human.Bytes(room), matrix.Grouped(int(room/each)))}
}
