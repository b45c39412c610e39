// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"slices"

	"zfsbench.io/operator/api/v1alpha1"
)

// workloadOf is one of the spec by its name; the zero Workload if there is none.
func (m *page) workloadOf(name string) v1alpha1.Workload {
	i := slices.IndexFunc(m.Spec.Workloads, func(w v1alpha1.Workload) bool { return w.Name == name })
	if i < 0 {
		return v1alpha1.Workload{}
	}
	return m.Spec.Workloads[i]
}

// isBetweenPasses says whether a metric is of a pass between the first and the last one, which has no tables of its own.
func (m *page) isBetweenPasses(of metric) bool {
	w := m.workloadOf(of.workload)
	return w.Passes() > 1 && !slices.Contains(w.DecisiveOperations(), of.operation)
}

// passTable shows all passes of a workload side by side, before the first of its sections.
func (m *page) passTable(from []Section) {
	w := m.workloadOf(from[0].workload)
	for _, d := range []v1alpha1.Operation{v1alpha1.OperationRead, v1alpha1.OperationWrite} {
		if w.Passes() < 2 || from[0].operation != v1alpha1.OperationOfPass(1, d) {
			continue
		}
		var columns []column
		for pass := range w.Passes() {
			columns = append(columns, passColumn(from, pass+1, d))
		}
		rows := from[0].best(maxRows)
		m.printf("\n## %s: %s, pass by pass\n\n", escape(w.Name), d)
		m.printf("%s", tableOf(slices.Concat([]column{variantColumn}, m.nodeColumns(), columns, []column{{">Last/first", lastToFirst(from, w.Passes(), d)}}), rows))
		m.printf("\nGeometric means over the repetitions. The first and the last pass follow by themselves; only they are compared with the reference variant\n")
		m.printf("and decide when repetitions end. All are in %s and %s.\n", CSVKey, JSONKey)
	}
}

// passColumn is the rate of one pass.
func passColumn(from []Section, pass int, d v1alpha1.Operation) column {
	entries := ofPass(from, pass, d)
	return column{fmt.Sprintf(">Pass %d", pass), func(e entry) string {
		if other, known := entries[sameRow(e)]; known {
			return mean(other)
		}
		return "-"
	}}
}

// lastToFirst is how many times as fast as the first pass the last one was.
func lastToFirst(from []Section, last int, d v1alpha1.Operation) func(entry) string {
	entries := ofPass(from, last, d)
	return func(e entry) string {
		other := entries[sameRow(e)]
		if e.rated() == 0 || other.rated() == 0 {
			return "-"
		}
		return times(other.rated()/e.rated()) + "×"
	}
}

// ofPass are the entries of one pass by their place in a table.
func ofPass(from []Section, pass int, d v1alpha1.Operation) map[place]entry {
	entries := map[place]entry{}
	for _, s := range from {
		if s.workload != from[0].workload || s.operation != v1alpha1.OperationOfPass(pass, d) {
			continue
		}
		for _, e := range slices.Concat(s.groups...) {
			entries[sameRow(e)] = e
		}
	}
	return entries
}

// sameRow is the same for all passes of a variant on a node.
func sameRow(e entry) place { return place{variant: e.Variant, node: e.Node} }
