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

// setUpTable says how long it took to make what was measured and to destroy it, if that is known.
func (m *page) setUpTable() {
	columns := slices.DeleteFunc(slices.Clone(setUpColumns), func(c setUpColumn) bool {
		return !slices.ContainsFunc(m.SetUps, func(s model.SetUp) bool { return c.seconds(s) > 0 })
	})
	titles := slices.Concat(m.whereTitles()[1:], []string{">n"})
	for _, c := range columns {
		titles = append(titles, c.title)
	}
	section(m, "Making and destroying", titles, m.SetUps, func(s model.SetUp) []string {
		cells := slices.Concat(m.where("", s.Variant, s.Node, 0)[1:], []string{human.Count(float64(s.Trials))})
		for _, c := range columns {
			cells = append(cells, orDash(c.seconds(s)*1e9, human.Latency))
		}
		return cells
	}, "Medians over n trials, not compared. Destroy dataset: with all that the workloads wrote, until its space is "+
		"free; not\n"+
		"timed where there are snapshots.")
}
