// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/stats"
	"zfsbench.io/operator/internal/text/human"
)

// Inspection is what zdb found after a workload on a variant: medians over the trials of which it is known.
type Inspection struct {
	Workload       string            `json:"workload"`
	Variant        string            `json:"variant"`
	Node           string            `json:"node"`
	Allocation     *AllocationFound  `json:"allocation,omitempty"`
	SimulatedDedup *SimulatedFactors `json:"simulatedDedup,omitempty"`
	// Missing are the reasons why something is not known of a trial, each once.
	Missing []string `json:"missing,omitempty"`
}

// AllocationFound is how files lie on the vdevs.
type AllocationFound struct {
	Trials               int     `json:"trials"`
	FragmentationPercent float64 `json:"fragmentationPercent"`
	Extents              float64 `json:"extents"`
	MeanExtentBytes      float64 `json:"meanExtentBytes"`
}

// SimulatedFactors are those of `zdb -S`.
type SimulatedFactors struct {
	Trials int `json:"trials"`
	result.SimulatedDedup
}

// inspectionsOf are those of all workloads that ask for one, in the order of the work.
func inspectionsOf(in Input) []Inspection {
	var all []Inspection
	for _, group := range samplesOf(in) {
		if found, known := reduceInspected(group.samples); known {
			found.Workload, found.Variant, found.Node = group.workload, group.variant, group.node
			all = append(all, found)
		}
	}
	return all
}

// reduceInspected is false where nothing was asked for.
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
			medianOf(allocations, func(a result.Allocation) float64 { return float64(a.Extents()) }), medianOf(allocations, result.Allocation.MeanExtentBytes),
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

// inspectionTable says what zdb found.
func (m *page) inspectionTable() {
	if len(m.Inspections) == 0 {
		return
	}
	out := newTable(append(m.whereTitles(), ">Fragmentation", ">Extents", ">Mean extent", ">Dedup", ">Compress", ">Copies", ">Combined")...)
	for _, i := range m.Inspections[:min(len(m.Inspections), maxRows)] {
		out.add(append(append(m.where(Work{Workload: i.Workload, Variant: i.Variant, Node: i.Node}), allocationCells(i.Allocation)...), dedupCells(i.SimulatedDedup)...)...)
	}
	m.printf("\n## Inspected pools\n\n%s\n", out)
	m.printf("Medians, by zdb after the workload. Fragmentation: how many blocks of files do not begin where the one before them on the same vdev ends. Dedup to Combined: what `zdb -S` simulates for the whole pool.\n")
	for _, i := range m.Inspections[:min(len(m.Inspections), maxRows)] {
		for _, reason := range i.Missing {
			m.printf("\nNot known after %s on variant %s: %s\n", escape(i.Workload), escape(i.Variant), escape(reason))
		}
	}
	if more := len(m.Inspections) - maxRows; more > 0 {
		m.printf("\nAnd %d more, in %s and %s.\n", more, CSVKey, JSONKey)
	}
}

func allocationCells(a *AllocationFound) []string {
	if a == nil {
		return []string{"-", "-", "-"}
	}
	return []string{fmt.Sprintf("%.1f%%", a.FragmentationPercent), strconv.FormatFloat(a.Extents, 'f', 0, 64), human.Bytes(a.MeanExtentBytes)}
}

func dedupCells(d *SimulatedFactors) []string {
	if d == nil {
		return []string{"-", "-", "-", "-"}
	}
	return []string{ratioText(d.Dedup), ratioText(d.Compress), ratioText(d.Copies), ratioText(d.Combined)}
}
