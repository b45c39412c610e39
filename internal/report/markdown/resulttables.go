// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"zfsbench.io/operator/internal/report/model"
	"zfsbench.io/operator/internal/stats"
	"zfsbench.io/operator/internal/text/human"
)

// maxRows is the maximum number of rows in a table; if there are more variants, the best of each group are shown.
const maxRows = 64

// sectionTables are the tables of each workload and operation: one with the rates for each group of equal protection,
// then one with CPU, devices and latencies of all groups.
func (m *page) sectionTables() {
	for i, s := range m.Sections {
		m.passTable(m.Sections[i:])
		if m.isBetweenPasses(s.Metric) {
			continue
		}
		m.printf("\n## %s: %s\n\n", escape(s.Workload), s.Operation)
		groups := s.Best(maxRows)
		for _, rows := range groups {
			m.groupTable(rows, len(s.Groups) > 1)
		}
		rows := slices.Concat(groups...)
		names, _ := m.namesIn(rows)
		columns := slices.Concat([]column{shortName(names)}, m.nodeColumns(), workColumns, latencyColumns)
		m.printf("%s", m.tableOf(columns, rows))
		m.more(s.Size()-len(rows), model.CSVKey+" and "+model.JSONKey)
		if missing := len(m.Variants)*len(m.Nodes) - s.Size(); missing > 0 {
			m.printf("\nNot measured: %s.\n", m.variantsOfNodes(missing))
		}
	}
}

// groupTable shows the rates of variants that protect the data equally, on one node.
func (m *page) groupTable(rows []model.Entry, several bool) {
	names, shared := m.namesIn(rows)
	if several {
		m.printf("%s:\n\n", m.groupTitle(rows[0], shared))
	}
	m.printf("%s\n", m.tableOf(m.rateColumns(rows, names), rows))
}

// groupTitle says what the rows of a group have in common.
func (m *page) groupTitle(of model.Entry, shared string) string {
	var words []string
	if len(m.Nodes) > 1 {
		words = append(words, "node "+of.Node)
	}
	protection := m.protectionColumns()
	m.explain(protection)
	for _, c := range protection {
		words = append(words, strings.ToLower(strings.TrimPrefix(c.title, ">"))+" "+escape(c.cell(of)))
	}
	if shared != "" {
		words = append(words, escape(shared))
	}
	return title(cmp.Or(strings.Join(words, ", "), "others"))
}

// namesIn names the variants of a group by the axes in which they differ, and returns the values that all share.
func (m *page) namesIn(rows []model.Entry) (names map[string]string, shared string) {
	var same, differ []string
	for _, axis := range m.axes() {
		value := rows[0].Details.Axes[axis]
		if slices.ContainsFunc(rows, func(e model.Entry) bool { return e.Details.Axes[axis] != value }) {
			differ = append(differ, axis)
		} else {
			same = append(same, axis)
		}
	}
	if len(differ) == 0 {
		return nil, ""
	}
	values := func(of model.Entry, axes []string) string {
		all := make([]string, 0, len(axes))
		for _, axis := range axes {
			all = append(all, axis+"="+of.Details.Axes[axis])
		}
		return strings.Join(all, ",")
	}
	names = map[string]string{}
	for _, e := range rows {
		if len(e.Details.Axes) > 0 {
			names[e.Variant] = values(e, differ)
		}
	}
	return names, values(rows[0], same)
}

// axes are the names of the matrix's axes.
func (m *page) axes() []string {
	if m.Spec.Matrix == nil {
		return nil
	}
	var all []string
	for _, a := range m.Spec.Matrix.Axes {
		all = append(all, a.Name)
	}
	return all
}

// variantsOfNodes counts variants, each on each node.
func (m *page) variantsOfNodes(n int) string {
	if len(m.Nodes) > 1 {
		return human.Plural(n, "variant") + ", counted on each node"
	}
	return human.Plural(n, "variant")
}

// nodeColumns name the node if there are several.
func (m *page) nodeColumns() []column {
	if len(m.Nodes) < 2 {
		return nil
	}
	return []column{nodeColumn}
}

// rateColumns say how fast the variants are, how certain that is, and how they compare.
func (m *page) rateColumns(rows []model.Entry, names map[string]string) []column {
	rank := column{">Rank", func(e model.Entry) string { return fmt.Sprint(e.Rank) }, []string{m.rankNote()}}
	n := column{">n", repetitions, []string{"n: repetitions without a failure."}}
	rate := column{rateTitle(rows), mean, []string{title(m.rateWord()) + ": geometric mean over the repetitions."}}
	return slices.Concat([]column{rank, shortName(names)}, m.usableColumns(), []column{n, rate}, m.certaintyColumns(),
		timeColumns(rows), syncColumns(rows), steadyColumns(rows), m.comparisonColumns(), m.warningColumns())
}

// rankNote says what the variants are ranked by, and among which others.
func (m *page) rankNote() string {
	among := "equal redundancy, sync and checksum"
	if len(m.Nodes) > 1 {
		among += " on the same node"
	}
	return fmt.Sprintf("Rank: by %s, among variants of %s. The intervals say which of them really differ.", m.rateWord(),
		among)
}

// shortName shows variants by the names that namesIn gives.
func shortName(names map[string]string) column {
	return column{title: "Variant", cell: func(e model.Entry) string { return cmp.Or(names[e.Variant], e.Variant) }}
}

// repetitions counts the repetitions with a value: trials that failed have none.
func repetitions(e model.Entry) string {
	if e.Statistics == nil {
		return "0"
	}
	return fmt.Sprint(e.Statistics.N)
}

func mean(e model.Entry) string {
	if e.Statistics == nil {
		return "-"
	}
	return rateOf(e.Measurement, e.Statistics.GeometricMean)
}

// protectionColumns are the columns about data protection in which variants differ.
func (m *page) protectionColumns() []column {
	return m.differing(
		column{">Redundancy", func(e model.Entry) string { return fmt.Sprint(e.Details.Redundancy) },
			[]string{"Redundancy: how many devices may fail, whichever they are, without loss of data."}},
		column{title: "sync", cell: func(e model.Entry) string { return e.Details.Sync }},
		column{title: "checksum", cell: func(e model.Entry) string { return e.Details.Checksum }},
	)
}

func (m *page) usableColumns() []column {
	return m.differing(column{">Usable", func(e model.Entry) string {
		return human.Bytes(float64(e.Details.UsableBytes))
	}, []string{"Usable: estimated space in a new pool."}})
}

// differing are the columns in which the variants differ.
func (m *page) differing(columns ...column) []column {
	return slices.DeleteFunc(columns, func(c column) bool {
		return !slices.ContainsFunc(m.Variants, func(v model.VariantRow) bool {
			return c.cell(model.Entry{Details: v}) != c.cell(model.Entry{Details: m.Variants[0]})
		})
	})
}

// comparisonColumns are empty without a reference.
func (m *page) comparisonColumns() []column {
	if len(m.Comparisons) == 0 {
		return nil
	}
	compared := func(cell func(model.RateComparison) string) func(model.Entry) string {
		return func(e model.Entry) string {
			if e.Comparison == nil {
				return "-"
			}
			return dash(cell(*e.Comparison))
		}
	}
	return []column{
		{">Ratio", compared(func(c model.RateComparison) string {
			if c.Ratio == 0 {
				return ""
			}
			return model.Times(c.Ratio) + "×"
		}), []string{fmt.Sprintf("Ratio: to the %s of the reference variant in the same repetition, geometric mean.",
			m.rateWord())}},
		{"95% of the ratio", compared(func(c model.RateComparison) string { return c.Interval95.Text() }), nil},
		{">p", compared(func(c model.RateComparison) string { return probability(c.HolmP) }), []string{fmt.Sprintf(
			"p: probability of such a ratio if there is no difference, corrected for all %s (Holm).",
			human.Plural(len(m.Comparisons), "comparison"))}},
		{"Verdict", func(e model.Entry) string {
			if e.Comparison == nil && e.IsReference {
				return "reference"
			}
			if c := e.Confirmation; c != nil && c.Confirms() {
				return e.Verdict() + ", confirmed"
			}
			return dash(e.Verdict())
		}, m.verdictNotes()},
	}
}

// verdictNotes explain the verdicts.
func (m *page) verdictNotes() []string {
	return []string{
		fmt.Sprintf("%s, %s: p is below 0.05 and the ratio is beyond the margin of %s.", stats.Better, stats.Worse,
			human.Percent(m.Margin)),
		fmt.Sprintf("%s: the 90%% interval of the ratio is within the margin.", stats.Equivalent),
		fmt.Sprintf("%s: neither is certain. It does not mean equal.", stats.Inconclusive),
	}
}

// probability formats a p value with only the digits that matter.
func probability(p float64) string {
	if p <= 0.001 {
		return "≤ 0.001"
	}
	return fmt.Sprintf("%.3f", p)
}
