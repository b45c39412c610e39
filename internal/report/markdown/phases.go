// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"fmt"
	"slices"
	"strings"

	"zfsbench.io/operator/internal/report/model"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/text/human"
)

// phaseNotes say which phases ended before they had done all that they should, or were over before they could be
// measured.
func (m *page) phaseNotes() []string {
	type of struct{ workload, phase, what string }
	var order []of
	trials, variants := map[of]int{}, map[of][]string{}
	for _, n := range m.Nodes {
		for _, t := range n.Searched() {
			for _, s := range t.Samples {
				for _, p := range s.Phases {
					what := oddity(p)
					if what == "" {
						continue
					}
					k := of{s.Workload, p.Name, what}
					if trials[k] == 0 {
						order = append(order, k)
					}
					trials[k]++
					if !slices.Contains(variants[k], t.Variant) {
						variants[k] = append(variants[k], t.Variant)
					}
				}
			}
		}
	}
	var lines []string
	for _, k := range order[:min(len(order), maxFailures)] {
		where := ""
		if m.Varies() {
			where = fmt.Sprintf(" of %s (%s)", human.Plural(len(variants[k]), "variant"),
				escape(strings.Join(variants[k][:min(len(variants[k]), maxNamed)], "; ")))
		}
		lines = append(lines, fmt.Sprintf("%s, %s: %s in %s%s.", escape(k.workload), k.phase, k.what,
			human.Plural(trials[k], "trial"), where))
	}
	if more := len(order) - maxFailures; more > 0 {
		lines = append(lines, fmt.Sprintf("And %d more phases, in %s.", more, model.CSVKey))
	}
	return lines
}

// oddity is what a reader has to know of a phase; empty for nothing.
func oddity(p result.Phase) string {
	switch {
	case p.TooFast:
		return "over too fast to be measured"
	case p.Ended == result.EndedByTime:
		return "ended when its time was over"
	case p.Ended == result.EndedByNoSpace:
		return "ended when there was no space left"
	}
	return ""
}
