// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"fmt"
	"slices"

	"zfsbench.io/operator/internal/report/model"
	"zfsbench.io/operator/internal/text/human"
)

// workTables say for each workload and variant what limited it, and what reached the devices.
func (m *page) workTables() {
	if len(m.Work) == 0 {
		return
	}
	rows := workRows(m.Work, maxRows)
	if slices.ContainsFunc(rows, func(w model.Work) bool { return w.Limit.Evidence != "" }) {
		section(m, "What limited the workloads", append(m.whereTitles(), "Limit", ">In", "Evidence"), rows,
			func(w model.Work) []string {
				in := fmt.Sprintf("%d of %d", w.Limited, w.Samples)
				return append(m.where(w.Workload, w.Variant, w.Node, w.Pass), w.Limit.String(), in, w.Limit.Evidence)
			}, "Limit: what was at its limit while the workload ran, by ratios that docs/results.md states. In: in how many "+
				"trials.")
		m.more(len(m.Work)-maxRows, model.CSVKey+" and "+model.JSONKey)
	}
	titles := append(m.whereTitles(), ">Seconds", ">Inodes created", ">Disk reads", ">Disk writes", ">Read/app",
		">Written/app")
	section(m, "Work of the devices", titles, rows, func(w model.Work) []string {
		return append(m.where(w.Workload, w.Variant, w.Node, w.Pass), orDash(w.Seconds, human.Digits),
			orDash(w.InodesCreated, human.Count),
			orDash(w.DeviceReads, human.Count), orDash(w.DeviceWrites, human.Count),
			orDash(w.DeviceReadBytesPerByte, human.Digits),
			orDash(w.DeviceWriteBytesPerByte, human.Digits))
	}, "Medians of whole workloads, with the sync after them. Disk reads and writes: requests that the devices got. "+
		"Read/app,\n"+
		"Written/app: bytes that the devices read, or wrote, for each byte that the workload read, or wrote.")
	m.more(len(m.Work)-maxRows, model.CSVKey+" and "+model.JSONKey)
}

// workRows returns at most that many rows, about the same number for each workload.
func workRows(all []model.Work, most int) []model.Work {
	var sizes []int
	var byWorkload [][]model.Work
	for i, w := range all {
		if i == 0 || all[i-1].Workload != w.Workload {
			sizes, byWorkload = append(sizes, 0), append(byWorkload, nil)
		}
		last := len(sizes) - 1
		sizes[last], byWorkload[last] = sizes[last]+1, append(byWorkload[last], w)
	}
	var rows []model.Work
	for i, share := range model.Shares(sizes, most) {
		rows = append(rows, byWorkload[i][:share]...)
	}
	return rows
}

// whereTitles are the titles of a table's first columns: the workload, and variant and node if there are several.
func (m *page) whereTitles() []string {
	titles := []string{"Workload"}
	if m.Varies() {
		titles = append(titles, "Variant")
	}
	if len(m.Nodes) > 1 {
		titles = append(titles, "Node")
	}
	return titles
}

func (m *page) where(workload, variant, node string, pass int) []string {
	cells := []string{workload}
	if pass > 0 {
		cells[0] += fmt.Sprintf(", pass %d", pass)
	}
	if m.Varies() {
		cells = append(cells, dash(variant))
	}
	if len(m.Nodes) > 1 {
		cells = append(cells, dash(node))
	}
	return cells
}
