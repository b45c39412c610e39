// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"fmt"

	"zfsbench.io/operator/internal/report/model"
	"zfsbench.io/operator/internal/text/human"
)

// fillTable says how full pools were before and after they were filled.
func (m *page) fillTable() {
	if len(m.FillLevels) == 0 {
		return
	}
	out := newTable(append(m.whereTitles(), ">Filled before", ">CAP", ">FRAG", ">Filled after", ">CAP", ">FRAG")...)
	for _, l := range m.FillLevels[:min(len(m.FillLevels), maxRows)] {
		out.add(append(append(m.where(model.Work{Workload: l.Workload, Variant: l.Variant, Node: l.Node}), fillCells(l.Before)...), fillCells(l.After)...)...)
	}
	m.printf("\n## Filled pools\n\n%s\n", out)
	m.printf("Medians. Filled: used of what the pool gives to datasets. CAP, FRAG: as in zpool list, of the whole pool and of its free space.\n")
	if more := len(m.FillLevels) - maxRows; more > 0 {
		m.printf("\nAnd %d more, in %s and %s.\n", more, model.CSVKey, model.JSONKey)
	}
}

func fillCells(s model.FillState) []string {
	fragmentation := "-"
	if s.FragmentationPercent >= 0 {
		fragmentation = fmt.Sprintf("%s%%", human.Digits(s.FragmentationPercent))
	}
	return []string{fmt.Sprintf("%.1f%%", s.FilledPercent), fmt.Sprintf("%s%%", human.Digits(s.CapacityPercent)), fragmentation}
}
