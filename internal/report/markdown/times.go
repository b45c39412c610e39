// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"slices"

	"zfsbench.io/operator/internal/report/model"
	"zfsbench.io/operator/internal/text/human"
)

// setUpColumn is a column of the table of times.
type setUpColumn struct {
	title   string
	seconds func(model.SetUp) float64
}

var setUpColumns = []setUpColumn{
	{">Create pool", func(s model.SetUp) float64 { return s.PoolCreateSeconds }},
	{">Create md array", func(s model.SetUp) float64 { return s.ArrayCreateSeconds }},
	{">Sync md array", func(s model.SetUp) float64 { return s.ArraySyncSeconds }},
	{">Make filesystem", func(s model.SetUp) float64 { return s.FilesystemMakeSeconds }},
	{">Destroy dataset", func(s model.SetUp) float64 { return s.DatasetDestroySeconds }},
}

// setUpTable says how long it took to make what was measured and to take it away, if that is known.
func (m *page) setUpTable() {
	if len(m.SetUps) == 0 {
		return
	}
	columns := slices.DeleteFunc(slices.Clone(setUpColumns), func(c setUpColumn) bool {
		return !slices.ContainsFunc(m.SetUps, func(s model.SetUp) bool { return c.seconds(s) > 0 })
	})
	titles := []string{"Variant"}
	if len(m.Nodes) > 1 {
		titles = append(titles, "Node")
	}
	titles = append(titles, ">n")
	for _, c := range columns {
		titles = append(titles, c.title)
	}
	out := newTable(titles...)
	for _, s := range m.SetUps[:min(len(m.SetUps), maxRows)] {
		cells := []string{s.Variant}
		if len(m.Nodes) > 1 {
			cells = append(cells, s.Node)
		}
		cells = append(cells, human.Count(float64(s.Trials)))
		for _, c := range columns {
			cells = append(cells, timeOrDash(c.seconds(s)))
		}
		out.add(cells...)
	}
	m.printf("\n## Making and destroying\n\n%s\n", out)
	m.printf("Medians over n trials, not compared. Destroy dataset: with all that the workloads wrote, until its space is free; not timed\n")
	m.printf("where there are snapshots.\n")
	if more := len(m.SetUps) - maxRows; more > 0 {
		m.printf("\nAnd %d more, in %s and %s.\n", more, model.CSVKey, model.JSONKey)
	}
}

func timeOrDash(seconds float64) string {
	if seconds == 0 {
		return "-"
	}
	return human.Latency(seconds * 1e9)
}
