// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"fmt"
	"strings"

	"zfsbench.io/operator/internal/report/model"
	"zfsbench.io/operator/internal/text/human"
)

// phaseNotes say which phases ended before all their work was done, or were too fast to be measured.
func (m *page) phaseNotes() []string {
	all := m.PhaseNotes()
	var lines []string
	for _, n := range all[:min(len(all), maxFailures)] {
		where := ""
		if m.Varies() {
			where = fmt.Sprintf(" of %s (%s)", human.Plural(len(n.Variants), "variant"),
				escape(strings.Join(n.Variants[:min(len(n.Variants), maxNamed)], "; ")))
		}
		lines = append(lines, fmt.Sprintf("%s, %s: %s in %s%s.", escape(n.Workload), n.Phase, phaseProblems[n.Problem],
			human.Plural(n.Trials, "trial"), where))
	}
	if more := len(all) - maxFailures; more > 0 {
		lines = append(lines, fmt.Sprintf("And %d more phases, in %s.", more, model.CSVKey))
	}
	return lines
}

var phaseProblems = map[model.PhaseProblem]string{
	model.PhaseTooFast:    "over too fast to be measured",
	model.PhaseOutOfTime:  "ended when its time was over",
	model.PhaseOutOfSpace: "ended when there was no space left",
}
