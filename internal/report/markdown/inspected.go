// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"fmt"
	"slices"
	"strconv"

	"zfsbench.io/operator/internal/report/model"
	"zfsbench.io/operator/internal/text/human"
)

// inspectionTable says what zdb found.
func (m *page) inspectionTable() {
	titles := append(m.whereTitles(), ">Fragmentation", ">Extents", ">Mean extent", ">Dedup", ">Compress", ">Copies",
		">Combined")
	section(m, "Inspected pools", titles, m.Inspections, func(i model.Inspection) []string {
		return slices.Concat(m.where(i.Workload, i.Variant, i.Node, 0), allocationCells(i.Allocation),
			dedupCells(i.SimulatedDedup))
	}, "Medians, by zdb after the workload. Fragmentation: the share of blocks that do not begin where the block before "+
		"them in\n"+
		"the file, on the same vdev, ends. Dedup to Combined: what `zdb -S` simulates for the whole pool.")
	for _, i := range m.Inspections[:min(len(m.Inspections), maxRows)] {
		for _, reason := range i.Missing {
			m.printf("\nUnknown after %s on variant %s: %s\n", escape(i.Workload), escape(i.Variant), escape(reason))
		}
	}
}

func allocationCells(a *model.AllocationFound) []string {
	if a == nil {
		return []string{"-", "-", "-"}
	}
	return []string{fmt.Sprintf("%.1f%%", a.FragmentationPercent), strconv.FormatFloat(a.Extents, 'f', 0, 64),
		human.Bytes(a.MeanExtentBytes)}
}

func dedupCells(d *model.SimulatedFactors) []string {
	if d == nil {
		return []string{"-", "-", "-", "-"}
	}
	return []string{ratioText(d.Dedup), ratioText(d.Compress), ratioText(d.Copies), ratioText(d.Combined)}
}
