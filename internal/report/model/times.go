// SPDX-License-Identifier: Apache-2.0

package model

import (
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/stats"
)

// SetUp is how long it took to make and destroy what a variant's trials ran on: medians in seconds over the trials that
// did it, 0 if none did.
type SetUp struct {
	Variant                string  `json:"variant"`
	Node                   string  `json:"node"`
	Trials                 int     `json:"trials"`
	PoolCreateSeconds      float64 `json:"poolCreateSeconds,omitempty"`
	ArrayCreateSeconds     float64 `json:"arrayCreateSeconds,omitempty"`
	ArraySyncSeconds       float64 `json:"arraySyncSeconds,omitempty"`
	FilesystemMakeSeconds  float64 `json:"filesystemMakeSeconds,omitempty"`
	DatasetDestroySeconds  float64 `json:"datasetDestroySeconds,omitempty"`
	DatasetDestroyedTrials int     `json:"datasetDestroyedTrials,omitempty"`
}

// setUpsOf returns one for each variant whose times are known, in the order of the plan.
func setUpsOf(in Input) []SetUp {
	var all []SetUp
	for _, n := range in.Nodes {
		for _, v := range n.Plan.Variants {
			var times []result.Times
			for _, t := range n.Trials {
				if t.Variant == v.Name && t.Times != (result.Times{}) {
					times = append(times, t.Times)
				}
			}
			if len(times) > 0 {
				all = append(all, setUpOf(v.Name, n.Name, times))
			}
		}
	}
	return all
}

func setUpOf(variant, node string, times []result.Times) SetUp {
	counted := 0
	seconds := func(of func(result.Times) int64) float64 {
		var known []float64
		for _, t := range times {
			if of(t) > 0 {
				known = append(known, float64(of(t))/1e9)
			}
		}
		if counted = len(known); counted == 0 {
			return 0
		}
		return stats.Median(known)
	}
	s := SetUp{
		Variant: variant, Node: node, Trials: len(times),
		PoolCreateSeconds:     seconds(func(t result.Times) int64 { return t.PoolCreate }),
		ArrayCreateSeconds:    seconds(func(t result.Times) int64 { return t.ArrayCreate }),
		ArraySyncSeconds:      seconds(func(t result.Times) int64 { return t.ArraySync }),
		FilesystemMakeSeconds: seconds(func(t result.Times) int64 { return t.FilesystemMake }),
		DatasetDestroySeconds: seconds(func(t result.Times) int64 { return t.DatasetDestroy }),
	}
	s.DatasetDestroyedTrials = counted
	return s
}
