// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"fmt"
	"strings"

	"zfsbench.io/operator/internal/analysis/recommend"
	"zfsbench.io/operator/internal/report/model"
	"zfsbench.io/operator/internal/text/human"
)

// recommended says which variant to use, and why.
func (m *page) recommended() {
	r := m.Recommendation
	if r == nil {
		return
	}
	m.printf("\n## Recommendation\n\n")
	if r.Problem != "" {
		m.printf("%s\n", escape(r.Problem))
	} else {
		m.printf("**%s**%s. %s makes its pool, %s the StorageClass of zfs-localpv.\n", escape(r.Candidates[0].Variant),
			lead(*r), model.ZpoolCreateKey, model.StorageClassKey)
		if r.NoStorageClass != "" {
			m.printf("There is no %s: %s.\n", model.StorageClassKey, escape(r.NoStorageClass))
		}
		m.candidates(*r)
	}
	if len(r.Rejected) == 0 {
		return
	}
	m.printf("\nNot recommended:\n\n")
	for _, rejected := range r.Rejected[:min(len(r.Rejected), maxRows)] {
		m.printf("- %s: %s\n", escape(rejected.Variant), escape(rejected.Reason))
	}
	m.more(len(r.Rejected)-maxRows, model.JSONKey)
}

// lead says how far the best is ahead.
func lead(r model.Recommendation) string {
	if r.Lead == nil {
		return " is the only variant that may be recommended"
	}
	text := fmt.Sprintf(" is %s× as good as %s, the runner-up", human.Digits(r.Lead.Ratio),
		escape(r.Candidates[1].Variant))
	switch i := r.Lead.Interval95; {
	case i == nil:
		return text + "; a single repetition cannot say how certain that is"
	case i.Low <= 1:
		return text + fmt.Sprintf(" (95%% interval %s to %s), which is not certain: either may be the better one",
			human.Digits(i.Low), human.Digits(i.High))
	default:
		return text + fmt.Sprintf(" (95%% interval %s to %s)", human.Digits(i.Low), human.Digits(i.High))
	}
}

func (m *page) candidates(r model.Recommendation) {
	titles := []string{">Rank", "Variant", ">Score"}
	for _, g := range r.Goals {
		titles = append(titles, fmt.Sprintf(">%s of %s (weight %d)", g.Metric, g.Workload, max(g.Weight, 1)))
	}
	out := newTable(titles...)
	for i, c := range r.Candidates[:min(len(r.Candidates), maxRows)] {
		cells := []string{fmt.Sprint(i + 1), c.Variant, fmt.Sprintf("%.3f", c.Score)}
		for g, value := range c.Values {
			cells = append(cells, recommend.Text(r.Goals[g].Metric, value))
		}
		out.add(cells...)
	}
	m.printf("\n%s\n", strings.TrimRight(out.String(), "\n"))
	m.more(len(r.Candidates)-maxRows, model.JSONKey)
	m.printf("\nScore: weighted geometric mean of the goals, relative to the best candidate. The interval does not " +
		"account for the selection of the best.\n")
}
