// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"fmt"
	"strings"

	"zfsbench.io/operator/internal/analysis/compare"
	"zfsbench.io/operator/internal/report/model"
	"zfsbench.io/operator/internal/text/human"
)

// maxNotCompared is how many reasons are shown for results without a counterpart.
const maxNotCompared = 24

// comparedWith are the comparisons with other benchmarks.
func (m *page) comparedWith() {
	for _, w := range m.ComparedWith {
		m.printf("\n## Compared with %s\n\n", escape(w.Name))
		if w.Problem != "" {
			m.printf("Nothing is compared: %s\n", escape(w.Problem))
		}
		if len(w.Comparisons) > 0 {
			m.comparedTable(w)
		}
		m.notCompared(w)
		m.differences(w.Differences)
	}
}

func (m *page) comparedTable(w compare.With) {
	m.printf("%ss, compared with benchmark %s. Differences within %s do not matter.\n\n", title(m.rateWord()),
		escape(w.Benchmark), human.Percent(m.Margin))
	titles := append([]string{"Workload", "Operation"}, m.whereTitles()[1:]...)
	out := newTable(append(titles, ">n", ">"+title(m.rateWord()), ">n there", ">There", ">Ratio", "95% of the ratio",
		">p", "Verdict")...)
	for _, c := range w.Comparisons[:min(len(w.Comparisons), maxRows)] {
		cells := append([]string{c.Workload, string(c.Operation)}, m.where("", c.Variant, c.Node, 0)[1:]...)
		out.add(append(cells, fmt.Sprint(c.N), rateText(c.Mean, c.InOperations), fmt.Sprint(c.OtherN),
			rateText(c.OtherMean, c.InOperations), model.Times(c.Ratio)+"×",
			dash((*model.Interval)(c.Interval95).Text()), probability(c.HolmP), string(c.Verdict))...)
	}
	m.printf("%s", out)
	m.more(len(w.Comparisons)-maxRows, model.JSONKey)
	m.printf("\nRatio: of the geometric means, without pairs (Welch). p: corrected for all %s of this table (Holm). "+
		"Verdicts as among variants.\n",
		human.Plural(len(w.Comparisons), "comparison"))
}

// notCompared says which results are not compared, and why.
func (m *page) notCompared(w compare.With) {
	if len(w.NotCompared)+len(w.Omitted) == 0 {
		return
	}
	m.printf("\n")
	for _, n := range w.NotCompared[:min(len(w.NotCompared), maxNotCompared)] {
		m.note(fmt.Sprintf("%s, %s: %s", escape(n.Workload), human.Plural(n.Results, "result"), escape(n.Reason)))
	}
	m.more(len(w.NotCompared)-maxNotCompared, model.JSONKey)
	if len(w.Omitted) > 0 {
		m.note("The other was too large to be kept whole, and left out: " + escape(strings.Join(w.Omitted, ", ")) + ".")
	}
}

// differences lists the other differences: a reader must know them before attributing a verdict to one change.
func (m *page) differences(all []compare.Difference) {
	if len(all) == 0 {
		return
	}
	out := newTable("What else differs", "Here", "There")
	for _, d := range all[:min(len(all), maxRows)] {
		out.add(d.What, d.Here, d.There)
	}
	m.printf("\n%s", out)
	m.more(len(all)-maxRows, model.JSONKey)
}
