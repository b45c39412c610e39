// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"fmt"
	"slices"

	"zfsbench.io/operator/internal/report/model"
	"zfsbench.io/operator/internal/stats"
	"zfsbench.io/operator/internal/text/human"
)

// maxRows is how many rows a table has; of more variants the best of each group are shown.
const maxRows = 64

// sectionTables are two tables for each workload and operation, with a row for each variant.
func (m *page) sectionTables() {
	work := slices.Concat([]column{variantColumn}, m.nodeColumns(), workColumns, latencyColumns)
	m.legend()
	for i, s := range m.Sections {
		m.passTable(m.Sections[i:])
		if m.isBetweenPasses(s.Metric) {
			continue
		}
		m.printf("\n## %s: %s\n\n", escape(s.Workload), s.Operation)
		rows := s.Best(maxRows)
		m.printf("%s\n%s", tableOf(m.rateColumns(rows), rows), tableOf(work, rows))
		if more := s.Size() - len(rows); more > 0 {
			m.printf("\nAnd %d more, in %s and %s.\n", more, model.CSVKey, model.JSONKey)
		}
		if missing := len(m.Variants)*len(m.Nodes) - s.Size(); missing > 0 {
			m.printf("\nNot measured: %s.\n", m.variantsOfNodes(missing))
		}
	}
}

// variantsOfNodes counts variants, each on each node.
func (m *page) variantsOfNodes(n int) string {
	if len(m.Nodes) > 1 {
		return human.Plural(n, "variant") + ", counted on each node"
	}
	return human.Plural(n, "variant")
}

// nodeColumns tell nodes apart where there are several.
func (m *page) nodeColumns() []column {
	if len(m.Nodes) < 2 {
		return nil
	}
	return []column{nodeColumn}
}

// rateColumns say how fast the variants are, how sure that is, and how they compare. What all variants have in common is left out.
func (m *page) rateColumns(rows []model.Entry) []column {
	return slices.Concat(
		[]column{{">Rank", func(e model.Entry) string { return fmt.Sprint(e.Rank) }}, variantColumn},
		m.nodeColumns(), m.protectionColumns(), m.usableColumns(),
		[]column{{">n", repetitions}, {rateTitle(rows), mean}}, certaintyColumn, timeColumns(rows), syncColumns(rows), steadyColumns(rows),
		m.comparisonColumns(), m.warningColumns(),
	)
}

// repetitions are those with a value: trials that failed have none.
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

// protectionColumns are those in which variants differ.
func (m *page) protectionColumns() []column {
	return m.differing(
		column{">Redundancy", func(e model.Entry) string { return fmt.Sprint(e.Details.Redundancy) }},
		column{"sync", func(e model.Entry) string { return e.Details.Sync }},
		column{"checksum", func(e model.Entry) string { return e.Details.Checksum }},
	)
}

func (m *page) usableColumns() []column {
	return m.differing(column{">Usable", func(e model.Entry) string { return human.Bytes(float64(e.Details.UsableBytes)) }})
}

// differing are the columns in which not all variants are alike.
func (m *page) differing(columns ...column) []column {
	return slices.DeleteFunc(columns, func(c column) bool {
		return !slices.ContainsFunc(m.Variants, func(v model.Variant) bool {
			return c.cell(model.Entry{Details: v}) != c.cell(model.Entry{Details: m.Variants[0]})
		})
	})
}

// comparisonColumns are empty without a reference.
func (m *page) comparisonColumns() []column {
	if len(m.Comparisons) == 0 {
		return nil
	}
	compared := func(cell func(model.Comparison) string) func(model.Entry) string {
		return func(e model.Entry) string {
			if e.Comparison == nil {
				return "-"
			}
			return dash(cell(*e.Comparison))
		}
	}
	return []column{
		{">Ratio", compared(func(c model.Comparison) string {
			if c.Ratio == 0 {
				return ""
			}
			return model.Times(c.Ratio) + "×"
		})},
		{"95% of the ratio", compared(func(c model.Comparison) string { return c.Interval95.Text() })},
		{">p", compared(func(c model.Comparison) string { return probability(c.HolmP) })},
		{"Verdict", func(e model.Entry) string {
			if e.Comparison == nil && e.IsReference {
				return "reference"
			}
			if c := e.Confirmation; c != nil && c.Confirms() {
				return e.Verdict() + ", confirmed"
			}
			return dash(e.Verdict())
		}},
	}
}

// probability has no more digits than matter.
func probability(p float64) string {
	if p <= 0.001 {
		return "≤ 0.001"
	}
	return fmt.Sprintf("%.3f", p)
}

// legend explains the columns that there are, once for all tables.
func (m *page) legend() {
	m.printf("\nRank: by %s, among variants of equal redundancy, sync and checksum", m.rateWord())
	if len(m.Nodes) > 1 {
		m.printf(" on the same node")
	}
	m.printf(". The intervals say which of them really differ.\n")
	for _, c := range m.protectionColumns() {
		if c.title == ">Redundancy" {
			m.printf("Redundancy: how many devices may be lost, whichever they are, without losing data.\n")
		}
	}
	if len(m.usableColumns()) > 0 {
		m.printf("Usable: estimated space in a new pool.\n")
	}
	m.printf("n: repetitions without a failure. %s: geometric mean over them. 95%%: how far its 95%% interval reaches.\n", title(m.rateWord()))
	m.printf("CV: standard deviation / mean.\n")
	if len(m.Comparisons) > 0 {
		m.comparisonLegend()
	}
	m.printf("IOPS, CPU and Device/app: medians. Mean to Max: total latency (submission and completion) of all I/O of all repetitions.\n")
	m.workLegend()
	m.phaseLegend()
}

func (m *page) comparisonLegend() {
	m.printf("Ratio: to the %s of the reference variant in the same repetition, geometric mean.\n", m.rateWord())
	m.printf("p: probability of such a ratio if there is no difference, corrected for all %s (Holm).\n", human.Plural(len(m.Comparisons), "comparison"))
	m.printf("%s, %s: p below 0.05 and the ratio beyond the margin of %s. %s: the 90%% interval of the ratio is within it.\n",
		stats.Better, stats.Worse, human.Percent(m.Margin), stats.Equivalent)
	m.printf("%s: neither is sure; it does not mean equal.\n", stats.Inconclusive)
}
