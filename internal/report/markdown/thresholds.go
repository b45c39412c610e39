// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"cmp"
	"fmt"
	"slices"

	"zfsbench.io/operator/internal/analysis/threshold"
	"zfsbench.io/operator/internal/report/model"
)

// thresholds says which thresholds are met. The ones that are not come first.
func (m *page) thresholds() {
	if m.Verdict == nil {
		return
	}
	m.printf("\n## Thresholds\n\n%s\n\n", escape(m.Verdict.Message))
	order := map[threshold.Outcome]int{threshold.NotMet: 0, threshold.NotJudged: 1, threshold.Met: 2}
	rows := slices.Clone(m.Thresholds)
	slices.SortStableFunc(rows, func(a, b threshold.Judgement) int {
		return cmp.Compare(order[a.Outcome], order[b.Outcome])
	})
	titles := append([]string{"Threshold", "Outcome", "Certain", ">Value", "95%", ">n"}, m.whereTitles()[1:]...)
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
		} else if problem := fmt.Sprintf("%s of %s: %s", j.Metric, escape(j.Workload),
			escape(j.Problem)); !slices.Contains(problems, problem) {
			problems = append(problems, problem)
		}
		cells := []string{fmt.Sprintf("%s of %s %s", j.Metric, j.Workload, j.Wants()), string(j.Outcome), certain, value,
			interval, fmt.Sprint(j.N)}
		out.add(append(cells, m.where("", j.Variant, j.Node, 0)[1:]...)...)
	}
	m.printf("%s", out)
	m.more(len(rows)-maxRows, model.JSONKey)
	m.printf("\nValue: geometric mean over n repetitions. Certain: its 95%% interval is on the same side of the bound.\n")
	if len(problems) > 0 {
		m.printf("\n")
		m.note(problems...)
	}
}
