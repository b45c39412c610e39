// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"slices"
	"strings"

	"zfsbench.io/operator/internal/analysis/caveats"
	"zfsbench.io/operator/internal/report/model"
)

// maxWarned is how many workloads and variants are named with each kind of warning.
const maxWarned = 4

// warned tells each kind of warning once, with the first of those it is about.
func (m *page) warned() {
	if len(m.Warnings) == 0 {
		return
	}
	m.printf("\n## Warnings\n\nThese numbers may not be what they look like. The column Warnings of the tables says which.\n\n")
	for _, kind := range kindsOf(m.Warnings) {
		var of []caveats.Warning
		for _, w := range m.Warnings {
			if w.Kind == kind {
				of = append(of, w)
			}
		}
		for _, w := range of[:min(len(of), maxWarned)] {
			m.printf("- %s: %s\n", kind, escape(w.String()))
		}
		if more := len(of) - maxWarned; more > 0 {
			m.printf("- %s: and %d more, in %s\n", kind, more, model.JSONKey)
		}
	}
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

// warningColumns name the kinds of warnings about a row; there is none without warnings.
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
	return []column{{"Warnings", func(e model.Entry) string {
		return strings.Join(byPlace[caveats.Warning{Node: e.Node, Variant: e.Variant, Workload: e.Workload}], ", ")
	}}}
}
