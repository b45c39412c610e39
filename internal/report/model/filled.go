// SPDX-License-Identifier: Apache-2.0

package model

import (
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/stats"
)

// FillLevel is how full a variant's pool was before and after a workload that fills it: medians over the samples.
type FillLevel struct {
	Workload string    `json:"workload"`
	Variant  string    `json:"variant"`
	Node     string    `json:"node"`
	Samples  int       `json:"samples"`
	Before   FillState `json:"before"`
	After    FillState `json:"after"`
}

// FillState is how full a pool is. CapacityPercent and FragmentationPercent are those of `zpool list`; the latter is -1 where OpenZFS knows none.
type FillState struct {
	FilledPercent        float64 `json:"filledPercent"`
	CapacityPercent      float64 `json:"capacityPercent"`
	FragmentationPercent float64 `json:"fragmentationPercent"`
}

// fillLevelsOf groups the samples of workloads that fill pools, in the order of the workloads, the variants and the nodes.
func fillLevelsOf(in Input) []FillLevel {
	var all []FillLevel
	for _, w := range in.Benchmark.Spec.Workloads {
		for _, n := range in.Nodes {
			for _, v := range n.Plan.Variants {
				var filled []result.Filled
				for _, t := range n.Searched() {
					for _, s := range t.Samples {
						if s.Filled != nil && s.Workload == w.Name && t.Variant == v.Name {
							filled = append(filled, *s.Filled)
						}
					}
				}
				if len(filled) > 0 {
					all = append(all, FillLevel{
						w.Name, v.Name, n.Name, len(filled), fillState(filled, func(f result.Filled) result.PoolSpace { return f.Before }),
						fillState(filled, func(f result.Filled) result.PoolSpace { return f.After }),
					})
				}
			}
		}
	}
	return all
}

func fillState(filled []result.Filled, of func(result.Filled) result.PoolSpace) FillState {
	median := func(number func(result.PoolSpace) float64) float64 {
		values := make([]float64, 0, len(filled))
		for _, f := range filled {
			values = append(values, number(of(f)))
		}
		return stats.Median(values)
	}
	return FillState{
		FilledPercent:        median(result.PoolSpace.FilledPercent),
		CapacityPercent:      median(func(s result.PoolSpace) float64 { return float64(s.CapacityPercent) }),
		FragmentationPercent: median(func(s result.PoolSpace) float64 { return float64(s.FragmentationPercent) }),
	}
}
