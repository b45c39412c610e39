// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"fmt"
	"slices"
	"strings"

	"zfsbench.io/operator/internal/report/model"
	"zfsbench.io/operator/internal/stats"
	"zfsbench.io/operator/internal/text/human"
)

// flattering is the number of compared variants from which on the best one looks noticeably better than it is.
const flattering = 8

// winners says how each winner did when it was measured again.
func (m *page) winners() {
	if len(m.Confirmations) == 0 {
		return
	}
	m.printf("\nThe fastest variants, measured again in %s that did not choose them:\n\n",
		human.Plural(m.Nodes[0].Plan.ConfirmingRepetitions, "repetition"))
	for _, c := range m.Confirmations[:min(len(m.Confirmations), maxVerdicts)] {
		m.note(m.winner(c))
	}
	m.more(len(m.Confirmations)-maxVerdicts, model.JSONKey)
}

func (m *page) winner(c model.Confirmation) string {
	where := fmt.Sprintf("%s: %s", escape(c.Workload), c.Operation)
	if len(m.Nodes) > 1 {
		where += " on " + c.Node
	}
	if c.N == 0 {
		return fmt.Sprintf("%s: nothing yet of %s", where, escape(c.Variant))
	}
	verdict := fmt.Sprintf("is not confirmed (%s)", c.Verdict)
	if c.Confirms() {
		verdict = "is the best" + m.amongEquals(c.Variant)
	}
	interval := ""
	if text := c.Interval95.Text(); text != "" {
		interval = fmt.Sprintf(", 95%% interval %s, p %s", text, probability(c.HolmP))
	}
	return fmt.Sprintf("%s: %s %s: %s× of %s%s, n = %d. The repetitions that chose it said %s×.",
		where, escape(c.Variant), verdict, model.Times(c.Ratio), escape(c.Reference), interval, c.N,
		model.Times(c.SearchRatio))
}

// amongEquals names the variants among which one is the best, if not all protect the data equally.
func (m *page) amongEquals(variant string) string {
	at := slices.IndexFunc(m.Variants, func(v model.VariantRow) bool { return v.Name == variant })
	if at < 0 {
		return ""
	}
	var equal []string
	for _, c := range m.protectionColumns() {
		equal = append(equal, strings.ToLower(strings.TrimPrefix(c.title,
			">"))+" "+c.cell(model.Entry{Details: m.Variants[at]}))
	}
	if len(equal) == 0 {
		return ""
	}
	return " of those with " + strings.Join(equal, ", ")
}

// flattery warns about the best of many variants if it is not confirmed.
func (m *page) flattery() []string {
	compared := 0
	for _, v := range m.Variants {
		if v.Reference != "" {
			compared++
		}
	}
	better := slices.ContainsFunc(m.Comparisons, func(c model.RateComparison) bool { return c.Verdict == stats.Better })
	if compared < flattering || !better || m.Nodes[0].Plan.ConfirmingRepetitions > 0 {
		return nil
	}
	return []string{fmt.Sprintf("The best of %s looks better than it is, because chance helped to choose it. "+
		"spec.repetitions.confirm, "+
		"in another benchmark, measures winners again.", human.Plural(compared, "variant"))}
}
