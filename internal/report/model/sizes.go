// SPDX-License-Identifier: Apache-2.0

package model

import (
	"slices"

	"zfsbench.io/operator/api/v1alpha1"
)

// Size is the size in bytes that a workload with a relative size had on a node.
type Size struct {
	Workload string
	Relative v1alpha1.RelativeSize
	// Processes is how many processes there are; each has the size.
	Processes int32
	// Bytes are the distinct sizes in the trials, as the runner recorded them, in the order of the trials.
	Bytes []int64
}

// Sizes are in the order of the plan's workloads, without workloads that have not been measured.
func (n NodeResults) Sizes() []Size {
	var all []Size
	for _, w := range n.Plan.Workloads {
		if w.Fio == nil || w.Fio.RelativeSize == "" {
			continue
		}
		size := Size{Workload: w.Name, Relative: w.Fio.RelativeSize, Processes: max(1, w.Fio.NumJobs)}
		for _, t := range n.Trials {
			for _, s := range t.Samples {
				if s.Workload == w.Name && s.SizeBytes > 0 && !slices.Contains(size.Bytes, s.SizeBytes) {
					size.Bytes = append(size.Bytes, s.SizeBytes)
				}
			}
		}
		if len(size.Bytes) > 0 {
			all = append(all, size)
		}
	}
	return all
}
