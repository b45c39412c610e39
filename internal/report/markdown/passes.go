// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"fmt"
	"slices"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/report/model"
)

// workloadOf returns a workload of the spec by its name, or the zero Workload.
func (m *page) workloadOf(name string) v1alpha1.Workload {
	i := slices.IndexFunc(m.Spec.Workloads, func(w v1alpha1.Workload) bool { return w.Name == name })
	if i < 0 {
		return v1alpha1.Workload{}
	}
	return m.Spec.Workloads[i]
}

// isBetweenPasses says whether a metric is of a pass between the first and the last one. Such passes have no separate
// tables.
func (m *page) isBetweenPasses(of model.Metric) bool {
	w := m.workloadOf(of.Workload)
	return w.Passes() > 1 && !slices.Contains(w.DecisiveOperations(), of.Operation)
}

// passTable shows all passes of a workload side by side, before its first section.
func (m *page) passTable(from []model.MetricResults) {
	w := m.workloadOf(from[0].Workload)
	for _, d := range []v1alpha1.Operation{v1alpha1.OperationRead, v1alpha1.OperationWrite} {
		if w.Passes() < 2 || from[0].Operation != v1alpha1.OperationOfPass(1, d) {
			continue
		}
		var columns []column
		for pass := range w.Passes() {
			columns = append(columns, passColumn(from, pass+1, d))
		}
		rows := slices.Concat(from[0].Best(maxRows)...)
		m.printf("\n## %s: %s, pass by pass\n\n", escape(w.Name), d)
		m.printf("%s", m.tableOf(slices.Concat([]column{variantColumn}, m.nodeColumns(), columns,
			[]column{{title: ">Last/first", cell: lastToFirst(from, w.Passes(), d)}}), rows))
		m.printf("\nGeometric means over the repetitions. The first and the last pass follow by themselves; only they are " +
			"compared with the reference variant\n")
		m.printf("and decide when repetitions end. All are in %s and %s.\n", model.CSVKey, model.JSONKey)
	}
}

// passColumn is the rate of one pass.
func passColumn(from []model.MetricResults, pass int, d v1alpha1.Operation) column {
	entries := ofPass(from, pass, d)
	return column{title: fmt.Sprintf(">Pass %d", pass), cell: func(e model.Entry) string {
		if other, known := entries[sameRow(e)]; known {
			return mean(other)
		}
		return "-"
	}}
}

// lastToFirst is the ratio of the last pass's rate to the first pass's.
func lastToFirst(from []model.MetricResults, last int, d v1alpha1.Operation) func(model.Entry) string {
	entries := ofPass(from, last, d)
	return func(e model.Entry) string {
		other := entries[sameRow(e)]
		if e.Rated() == 0 || other.Rated() == 0 {
			return "-"
		}
		return model.Times(other.Rated()/e.Rated()) + "×"
	}
}

// ofPass are the entries of one pass by their place in a table.
func ofPass(from []model.MetricResults, pass int, d v1alpha1.Operation) map[model.Place]model.Entry {
	entries := map[model.Place]model.Entry{}
	for _, s := range from {
		if s.Workload != from[0].Workload || s.Operation != v1alpha1.OperationOfPass(pass, d) {
			continue
		}
		for _, e := range slices.Concat(s.Groups...) {
			entries[sameRow(e)] = e
		}
	}
	return entries
}

// sameRow has the same result for all passes of a variant on a node.
func sameRow(e model.Entry) model.Place { return model.Place{Variant: e.Variant, Node: e.Node} }
