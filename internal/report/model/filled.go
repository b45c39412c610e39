// SPDX-License-Identifier: Apache-2.0

package model

import (
	"zfsbench.io/operator/internal/result"
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

// FillState is how full a pool is. CapacityPercent and FragmentationPercent are as in `zpool list`; the latter is -1 if
// OpenZFS reports none.
type FillState struct {
	FilledPercent        float64 `json:"filledPercent"`
	CapacityPercent      float64 `json:"capacityPercent"`
	FragmentationPercent float64 `json:"fragmentationPercent"`
}

// fillLevelsOf returns one level for each variant and workload that fills pools.
func fillLevelsOf(groups []samplesOfOne) []FillLevel {
	var all []FillLevel
	for _, g := range groups {
		var before, after []result.PoolSpace
		for _, s := range g.samples {
			if s.Filled != nil {
				before, after = append(before, s.Filled.Before), append(after, s.Filled.After)
			}
		}
		if len(before) > 0 {
			all = append(all, FillLevel{g.workload, g.variant, g.node, len(before), fillState(before), fillState(after)})
		}
	}
	return all
}

func fillState(spaces []result.PoolSpace) FillState {
	return FillState{
		FilledPercent:        medianOf(spaces, result.PoolSpace.FilledPercent),
		CapacityPercent:      medianOf(spaces, func(s result.PoolSpace) float64 { return float64(s.CapacityPercent) }),
		FragmentationPercent: medianOf(spaces, func(s result.PoolSpace) float64 { return float64(s.FragmentationPercent) }),
	}
}
