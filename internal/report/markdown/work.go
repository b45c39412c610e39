// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"fmt"

	"zfsbench.io/operator/internal/report/model"
	"zfsbench.io/operator/internal/text/human"
)

// workTables say for each workload and variant what limited it, and what reached the devices.
func (m *page) workTables() {
	if len(m.Work) == 0 {
		return
	}
	rows := workRows(m.Work, maxRows)
	m.limits(rows)
	titles := append(m.whereTitles(), ">Seconds", ">Inodes created", ">Disk reads", ">Disk writes", ">Read/app", ">Written/app")
	out := newTable(titles...)
	for _, w := range rows {
		out.add(append(m.where(w), digitsOrDash(w.Seconds), countOrDash(w.InodesCreated), countOrDash(w.DeviceReads), countOrDash(w.DeviceWrites),
			digitsOrDash(w.DeviceReadBytesPerByte), digitsOrDash(w.DeviceWriteBytesPerByte))...)
	}
	m.printf("\n## Work of the devices\n\n%s\n", out)
	m.printf("Medians of whole workloads, with the sync after them. Disk reads and writes: requests that the devices got. Read/app,\n")
	m.printf("Written/app: bytes that the devices read, or wrote, for each byte that the workload read, or wrote.\n")
	m.moreWork()
}

// workRows are so many at most, as many of each workload as of the others.
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

// limits are told of workloads that were observed, however short.
func (m *page) limits(rows []model.Work) {
	out, observed := newTable(append(m.whereTitles(), "Limit", ">In", "Evidence")...), false
	for _, w := range rows {
		observed = observed || w.Limit.Evidence != ""
		out.add(append(m.where(w), w.Limit.String(), fmt.Sprintf("%d of %d", w.Limited, w.Samples), w.Limit.Evidence)...)
	}
	if !observed {
		return
	}
	m.printf("\n## What limited the workloads\n\n%s\n", out)
	m.printf("Limit: what was at its limit while the workload ran, by ratios that docs/results.md states. In: in how many trials.\n")
	m.moreWork()
}

func (m *page) moreWork() {
	if more := len(m.Work) - maxRows; more > 0 {
		m.printf("\nAnd %d more, in %s and %s.\n", more, model.CSVKey, model.JSONKey)
	}
}

// whereTitles and where tell the rows apart: by variant and node, where there are several.
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

func (m *page) where(w model.Work) []string {
	cells := []string{w.Workload}
	if w.Pass > 0 {
		cells[0] += fmt.Sprintf(", pass %d", w.Pass)
	}
	if m.Varies() {
		cells = append(cells, w.Variant)
	}
	if len(m.Nodes) > 1 {
		cells = append(cells, w.Node)
	}
	return cells
}

func countOrDash(n float64) string {
	if n == 0 {
		return "-"
	}
	return human.Count(n)
}

func digitsOrDash(n float64) string {
	if n == 0 {
		return "-"
	}
	return human.Digits(n)
}
