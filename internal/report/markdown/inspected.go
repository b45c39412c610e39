// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"fmt"
	"strconv"

	"zfsbench.io/operator/internal/report/model"
	"zfsbench.io/operator/internal/text/human"
)

// inspectionTable says what zdb found.
func (m *page) inspectionTable() {
	if len(m.Inspections) == 0 {
		return
	}
	out := newTable(append(m.whereTitles(), ">Fragmentation", ">Extents", ">Mean extent", ">Dedup", ">Compress", ">Copies", ">Combined")...)
	for _, i := range m.Inspections[:min(len(m.Inspections), maxRows)] {
		out.add(append(append(m.where(model.Work{Workload: i.Workload, Variant: i.Variant, Node: i.Node}), allocationCells(i.Allocation)...), dedupCells(i.SimulatedDedup)...)...)
	}
	m.printf("\n## Inspected pools\n\n%s\n", out)
	m.printf("Medians, by zdb after the workload. Fragmentation: how many blocks of files do not begin where the one before them on the same vdev ends. Dedup to Combined: what `zdb -S` simulates for the whole pool.\n")
	for _, i := range m.Inspections[:min(len(m.Inspections), maxRows)] {
		for _, reason := range i.Missing {
			m.printf("\nNot known after %s on variant %s: %s\n", escape(i.Workload), escape(i.Variant), escape(reason))
		}
	}
	if more := len(m.Inspections) - maxRows; more > 0 {
		m.printf("\nAnd %d more, in %s and %s.\n", more, model.CSVKey, model.JSONKey)
	}
}

func allocationCells(a *model.AllocationFound) []string {
	if a == nil {
		return []string{"-", "-", "-"}
	}
	return []string{fmt.Sprintf("%.1f%%", a.FragmentationPercent), strconv.FormatFloat(a.Extents, 'f', 0, 64), human.Bytes(a.MeanExtentBytes)}
}

func dedupCells(d *model.SimulatedFactors) []string {
	if d == nil {
		return []string{"-", "-", "-", "-"}
	}
	return []string{ratioText(d.Dedup), ratioText(d.Compress), ratioText(d.Copies), ratioText(d.Combined)}
}
