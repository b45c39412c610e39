// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"cmp"
	"fmt"
	"slices"

	"zfsbench.io/operator/internal/analysis/threshold"
	"zfsbench.io/operator/internal/report/model"
)

// thresholds say which are met. What is not comes first.
func (m *page) thresholds() {
	if m.Verdict == nil {
		return
	}
	m.printf("\n## Thresholds\n\n%s\n\n", escape(m.Verdict.Message))
	order := map[threshold.Outcome]int{threshold.NotMet: 0, threshold.NotJudged: 1, threshold.Met: 2}
	rows := slices.Clone(m.Thresholds)
	slices.SortStableFunc(rows, func(a, b threshold.Judgement) int { return cmp.Compare(order[a.Outcome], order[b.Outcome]) })
	titles := []string{"Threshold", "Outcome", "Certain", ">Value", "95%", ">n"}
	for _, c := range m.whereColumns() {
		titles = append(titles, c.title)
	}
	out := newTable(titles...)
	var problems []string
	for _, j := range rows[:min(len(rows), maxRows)] {
		certain, value, interval := "-", "-", "-"
		if j.Outcome != threshold.NotJudged {
			certain, value = "no", j.Text(j.Value)
			if j.Certain {
				certain = "yes"
			}
			if j.Interval95 != nil {
				interval = j.Text(j.Interval95.Low) + " to " + j.Text(j.Interval95.High)
			}
		} else if problem := fmt.Sprintf("%s of %s: %s", j.Metric, escape(j.Workload), escape(j.Problem)); !slices.Contains(problems, problem) {
			problems = append(problems, problem)
		}
		cells := []string{fmt.Sprintf("%s of %s %s", j.Metric, j.Workload, j.Wants()), string(j.Outcome), certain, value, interval, fmt.Sprint(j.N)}
		for _, c := range m.whereColumns() {
			cells = append(cells, dash(c.cell(model.Entry{Measurement: model.Measurement{Variant: j.Variant, Node: j.Node}})))
		}
		out.add(cells...)
	}
	m.printf("%s\n", out)
	if more := len(rows) - maxRows; more > 0 {
		m.printf("And %d more, in %s.\n", more, model.JSONKey)
	}
	m.printf("Value: geometric mean over n repetitions. Certain: its 95%% interval is on the same side of the bound.\n")
	if len(problems) > 0 {
		m.printf("\n")
		m.note(problems...)
	}
}

// whereColumns tell variants and nodes apart where there are several.
func (m *page) whereColumns() []column {
	if !m.Varies() {
		return m.nodeColumns()
	}
	return append([]column{variantColumn}, m.nodeColumns()...)
}
