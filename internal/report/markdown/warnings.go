// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"fmt"
	"slices"
	"strings"

	"zfsbench.io/operator/internal/analysis/caveats"
	"zfsbench.io/operator/internal/report/model"
	"zfsbench.io/operator/internal/text/human"
)

// maxWarned is how many workloads and variants are named with each kind of warning.
const maxWarned = 4

// caveats are the reasons why the numbers below may mislead.
func (m *page) caveats() {
	if m.isDryRun() || len(m.Results) == 0 {
		return
	}
	lines := slices.Concat(m.trialCaveats(), m.warningCaveats(), m.classCaveats(), m.orderCaveats(),
		m.convergenceNotes(false), m.phaseNotes(), m.repetitionNotes(), m.outlierNotes(), m.unhealthy(), m.flattery())
	if len(lines) == 0 {
		return
	}
	m.printf("\n## Caveats\n\n")
	m.note(lines...)
	if len(m.Warnings) > 0 {
		m.printf("\nThe column Warnings of the tables names the warnings about each row.\n")
	}
}

// trialCaveats are about trials that are missing.
func (m *page) trialCaveats() []string {
	var lines []string
	if m.IsIncomplete() {
		lines = append(lines, "Not all trials have ended: these results may change.")
	}
	if failed := m.Counts().Failed; failed > 0 {
		lines = append(lines, fmt.Sprintf("%s failed: see Failures. Comparisons leave failed trials out.",
			human.Plural(failed, "trial")))
	}
	return lines
}

// warningCaveats name the first workloads and variants for each kind of warning.
func (m *page) warningCaveats() []string {
	var lines []string
	for _, kind := range kindsOf(m.Warnings) {
		of := slices.DeleteFunc(slices.Clone(m.Warnings), func(w caveats.Warning) bool { return w.Kind != kind })
		for _, w := range of[:min(len(of), maxWarned)] {
			lines = append(lines, fmt.Sprintf("%s (%s): %s", kind, escape(m.place(w)), escape(w.Message)))
		}
		if more := len(of) - maxWarned; more > 0 {
			lines = append(lines, fmt.Sprintf("%s: and %d more, in %s", kind, more, model.JSONKey))
		}
	}
	return lines
}

// place names the workload of a warning, with variant and node if there are several.
func (m *page) place(w caveats.Warning) string {
	words := []string{w.Workload}
	if m.Varies() {
		words = append(words, "variant "+w.Variant)
	}
	if len(m.Nodes) > 1 {
		words = append(words, "node "+w.Node)
	}
	return strings.Join(words, ", ")
}

// kindsOf are the kinds of warnings, in their order.
func kindsOf(warnings []caveats.Warning) []string {
	var kinds []string
	for _, w := range warnings {
		if !slices.Contains(kinds, w.Kind) {
			kinds = append(kinds, w.Kind)
		}
	}
	return kinds
}

// warningColumns name the kinds of warnings about a row; there is no such column without warnings.
func (m *page) warningColumns() []column {
	if len(m.Warnings) == 0 {
		return nil
	}
	byPlace := map[caveats.Warning][]string{}
	for _, w := range m.Warnings {
		k := caveats.Warning{Node: w.Node, Variant: w.Variant, Workload: w.Workload}
		if !slices.Contains(byPlace[k], w.Kind) {
			byPlace[k] = append(byPlace[k], w.Kind)
		}
	}
	return []column{{title: "Warnings", cell: func(e model.Entry) string {
		return strings.Join(byPlace[caveats.Warning{Node: e.Node, Variant: e.Variant, Workload: e.Workload}], ", ")
	}}}
}
