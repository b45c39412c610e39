// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"cmp"
	"fmt"
	"slices"

	"zfsbench.io/operator/internal/report/model"
	"zfsbench.io/operator/internal/stats"
	"zfsbench.io/operator/internal/text/human"
)

// acrossNodes says whether the nodes differ, and from 5 nodes on what to expect of others. What differs most surely is
// first.
func (m *page) acrossNodes() {
	compared := slices.DeleteFunc(slices.Clone(m.AcrossNodes), func(c model.NodesComparison) bool {
		return len(c.Ratios) < 2
	})
	slices.SortStableFunc(compared, func(a, b model.NodesComparison) int { return cmp.Compare(a.HolmP, b.HolmP) })
	titles := []string{"Workload", "Operation", "Variant", ">Nodes", "Lowest ratio", "Highest ratio", ">p"}
	legend := fmt.Sprintf("p: the probability of ratios that differ this much, if the true ratio is the same on all "+
		"nodes (Welch's test, corrected for all %s by Holm's method). Below 5%%, the nodes differ.",
		human.Plural(len(m.AcrossNodes), "comparison"))
	others := slices.ContainsFunc(compared, func(c model.NodesComparison) bool { return c.MeanRatio != 0 })
	if others {
		titles = append(titles, ">Mean", "95% of the mean", "95% of the next node")
		legend += " Mean: of the nodes that these were chosen from, with its interval. Next node: where the ratio of one " +
			"more such node is expected."
	} else {
		legend += fmt.Sprintf(" %s say nothing about other nodes: that takes %d.",
			human.Plural(len(m.Nodes), "node"), stats.MinRandomNodes)
	}
	section(m, "Across nodes", titles, compared, func(c model.NodesComparison) []string {
		byRatio := func(a, b model.NodeRatio) int { return cmp.Compare(a.Ratio, b.Ratio) }
		cells := []string{c.Workload, string(c.Operation), c.Variant, fmt.Sprint(len(c.Ratios)),
			nodeRatio(slices.MinFunc(c.Ratios, byRatio)), nodeRatio(slices.MaxFunc(c.Ratios, byRatio)), probability(c.HolmP)}
		switch {
		case c.MeanRatio != 0:
			return append(cells, model.Times(c.MeanRatio)+"×", dash(c.Interval95.Text()), dash(c.NextNode95.Text()))
		case others:
			return append(cells, "-", "-", "-")
		}
		return cells
	}, legend)
}

func nodeRatio(r model.NodeRatio) string { return model.Times(r.Ratio) + "× on " + r.Node }
