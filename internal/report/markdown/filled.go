// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"fmt"
	"slices"

	"zfsbench.io/operator/internal/report/model"
	"zfsbench.io/operator/internal/text/human"
)

// fillTable says how full pools were before and after they were filled.
func (m *page) fillTable() {
	titles := append(m.whereTitles(), ">Filled before", ">CAP", ">FRAG", ">Filled after", ">CAP", ">FRAG")
	section(m, "Filled pools", titles, m.FillLevels, func(l model.FillLevel) []string {
		return slices.Concat(m.where(l.Workload, l.Variant, l.Node, 0), fillCells(l.Before), fillCells(l.After))
	}, "Medians. Filled: used of what the pool gives to datasets. CAP, FRAG: as in zpool list, of the whole pool and of "+
		"its\n"+
		"free space.")
}

func fillCells(s model.FillState) []string {
	fragmentation := "-"
	if s.FragmentationPercent >= 0 {
		fragmentation = fmt.Sprintf("%s%%", human.Digits(s.FragmentationPercent))
	}
	return []string{fmt.Sprintf("%.1f%%", s.FilledPercent), fmt.Sprintf("%s%%", human.Digits(s.CapacityPercent)),
		fragmentation}
}
