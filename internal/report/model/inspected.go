// SPDX-License-Identifier: Apache-2.0

package model

import (
	"maps"
	"slices"

	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/stats"
)

// Inspection is what zdb found after a workload on a variant: medians over the trials in which it found something.
type Inspection struct {
	Workload       string            `json:"workload"`
	Variant        string            `json:"variant"`
	Node           string            `json:"node"`
	Allocation     *AllocationFound  `json:"allocation,omitempty"`
	SimulatedDedup *SimulatedFactors `json:"simulatedDedup,omitempty"`
	// Missing are the reasons why zdb found nothing in a trial, without duplicates.
	Missing []string `json:"missing,omitempty"`
}

// AllocationFound is how files are placed on the vdevs.
type AllocationFound struct {
	Trials               int     `json:"trials"`
	FragmentationPercent float64 `json:"fragmentationPercent"`
	Extents              float64 `json:"extents"`
	MeanExtentBytes      float64 `json:"meanExtentBytes"`
}

// SimulatedFactors are what `zdb -S` reports.
type SimulatedFactors struct {
	Trials int `json:"trials"`
	result.SimulatedDedup
}

// inspectionsOf returns one for each variant and workload with inspections, in the order of the work.
func inspectionsOf(groups []samplesOfOne) []Inspection {
	var all []Inspection
	for _, group := range groups {
		if found, known := reduceInspected(group.samples); known {
			found.Workload, found.Variant, found.Node = group.workload, group.variant, group.node
			all = append(all, found)
		}
	}
	return all
}

// reduceInspected returns false for a workload without inspections.
func reduceInspected(samples []result.Sample) (found Inspection, known bool) {
	var allocations []result.Allocation
	var factors []result.SimulatedDedup
	for _, s := range samples {
		if s.Inspected == nil {
			continue
		}
		known = true
		if a := s.Inspected.Allocation; a != nil {
			allocations = append(allocations, *a)
		}
		if d := s.Inspected.SimulatedDedup; d != nil {
			factors = append(factors, *d)
		}
		for _, what := range slices.Sorted(maps.Keys(s.Inspected.Missing)) {
			if reason := what + ": " + s.Inspected.Missing[what]; !slices.Contains(found.Missing, reason) {
				found.Missing = append(found.Missing, reason)
			}
		}
	}
	if len(allocations) > 0 {
		found.Allocation = &AllocationFound{
			len(allocations), medianOf(allocations, result.Allocation.FragmentationPercent),
			medianOf(allocations, func(a result.Allocation) float64 { return float64(a.Extents()) }),
			medianOf(allocations, result.Allocation.MeanExtentBytes),
		}
	}
	if len(factors) > 0 {
		found.SimulatedDedup = &SimulatedFactors{len(factors), result.SimulatedDedup{
			Dedup:    medianOf(factors, func(d result.SimulatedDedup) float64 { return d.Dedup }),
			Compress: medianOf(factors, func(d result.SimulatedDedup) float64 { return d.Compress }),
			Copies:   medianOf(factors, func(d result.SimulatedDedup) float64 { return d.Copies }),
			Combined: medianOf(factors, func(d result.SimulatedDedup) float64 { return d.Combined }),
		}}
	}
	return found, known
}

func medianOf[T any](all []T, number func(T) float64) float64 {
	values := make([]float64, 0, len(all))
	for _, one := range all {
		values = append(values, number(one))
	}
	return stats.Median(values)
}
