// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/report/model"
	"zfsbench.io/operator/internal/stats"
	"zfsbench.io/operator/internal/text/human"
)

const (
	// maxNamed is how many variants a verdict names.
	maxNamed = 4
	// maxVerdicts is for how many workloads, operations and nodes verdicts are shown above the tables.
	maxVerdicts = 24
)

// verdicts names the variants that are better than their reference and those that are not, for each workload and
// operation.
func (m *page) verdicts() {
	if len(m.Comparisons) == 0 {
		m.printf("\n%s\n", m.noReference())
		return
	}
	m.printf("\nCompared with %s, repetition by repetition. Differences within %s do not matter.\n",
		m.reference(), human.Percent(m.Margin))
	groups := m.comparedGroups()
	for _, g := range groups[:min(len(groups), maxVerdicts)] {
		m.printf("\n%s:\n\n", g.title)
		m.note(m.verdictLines(g.comparisons)...)
	}
	m.more(len(groups)-maxVerdicts, "the tables")
	m.winners()
	if advice := m.advice(); advice != "" {
		m.printf("\n%s\n", advice)
	}
}

// noReference says how to get the variants compared.
func (m *page) noReference() string {
	of := ""
	if matrix := m.Spec.Matrix; matrix != nil && len(matrix.Axes) > 0 {
		axis := matrix.Axes[0]
		of = fmt.Sprintf(", or a value of an axis, for example %s=%s", axis.Name, valuesOf(axis)[0])
	}
	return fmt.Sprintf("To have variants compared, name a reference in spec.comparison.reference: for example %s%s.",
		escape(m.Variants[0].Name), escape(of))
}

// reference says what the variants are compared with.
func (m *page) reference() string {
	first := m.Comparisons[0].Reference
	if m.Spec.Comparison == nil || !slices.ContainsFunc(m.Comparisons,
		func(c model.RateComparison) bool { return c.Reference != first }) {
		return escape(first)
	}
	return fmt.Sprintf("the variant with %s and otherwise the same values", escape(m.Spec.Comparison.Reference))
}

// compared are the comparisons of one workload and operation on one node.
type compared struct {
	title       string
	comparisons []model.RateComparison
}

// comparedGroups are in the order of the tables, then of the nodes.
func (m *page) comparedGroups() []compared {
	type group struct {
		model.Metric
		node string
	}
	groups := map[group][]model.RateComparison{}
	for _, c := range m.Comparisons {
		g := group{model.Metric{Workload: c.Workload, Operation: c.Operation}, c.Node}
		groups[g] = append(groups[g], c)
	}
	var out []compared
	for _, s := range m.Sections {
		for _, n := range m.Nodes {
			comparisons := groups[group{s.Metric, n.Name}]
			if len(comparisons) == 0 {
				continue
			}
			title := fmt.Sprintf("%s: %s", escape(s.Workload), s.Operation)
			if len(m.Nodes) > 1 {
				title += " on " + n.Name
			}
			out = append(out, compared{title, comparisons})
		}
	}
	return out
}

// verdictLines count and name the variants of each verdict, those that differ most first.
func (m *page) verdictLines(comparisons []model.RateComparison) []string {
	var lines []string
	for _, verdict := range []stats.Verdict{stats.Better, stats.Worse, stats.Equivalent, stats.Inconclusive} {
		var those []model.RateComparison
		for _, c := range comparisons {
			if c.Verdict == verdict {
				those = append(those, c)
			}
		}
		if len(those) == 0 {
			continue
		}
		if verdict == stats.Better || verdict == stats.Worse {
			slices.SortStableFunc(those, func(a, b model.RateComparison) int {
				return cmp.Compare(math.Abs(math.Log(b.Ratio)), math.Abs(math.Log(a.Ratio)))
			})
		}
		var names []string
		for _, c := range those[:min(len(those), maxNamed)] {
			names = append(names, m.named(c))
		}
		if more := len(those) - maxNamed; more > 0 {
			names = append(names, fmt.Sprintf("and %d more", more))
		}
		lines = append(lines, fmt.Sprintf("%s, %d of %d: %s", verdict, len(those), len(comparisons),
			strings.Join(names, "; ")))
	}
	return lines
}

// named is a variant with its ratio, if the ratio certainly differs from 1, and with its data protection where that
// differs from the reference's.
func (m *page) named(c model.RateComparison) string {
	name := escape(c.Variant)
	if c.Verdict == stats.Better || c.Verdict == stats.Worse {
		name += " " + model.Times(c.Ratio) + "×"
	}
	return name + m.unlike(c.Variant, c.Reference)
}

func (m *page) protection(variant string) plan.Protection {
	i := slices.IndexFunc(m.Variants, func(v model.VariantRow) bool { return v.Name == variant })
	if i < 0 {
		return plan.Protection{}
	}
	return m.Variants[i].Protection
}

// advice says what to do about inconclusive comparisons. A benchmark cannot be changed, so a new one is needed.
func (m *page) advice() string {
	inconclusive := slices.ContainsFunc(m.Comparisons,
		func(c model.RateComparison) bool { return c.Verdict == stats.Inconclusive })
	if !inconclusive || m.IsIncomplete() {
		return ""
	}
	var first plan.Plan
	converged := true
	for _, n := range slices.Backward(m.Nodes) {
		first = n.Plan
		converged = converged && n.End.Converged
	}
	advice := fmt.Sprintf("More repetitions may settle it: run another benchmark with spec.repetitions.min above %d.",
		first.Repetitions())
	switch {
	case first.Stopping != nil && converged:
		advice = fmt.Sprintf("Narrower intervals may settle it: run another benchmark with "+
			"spec.repetitions.targetRelativeError below %s.", human.Percent(first.Stopping.TargetRelativeError))
	case first.Stopping != nil:
		advice = fmt.Sprintf("A quieter node may settle it, or more repetitions: run another benchmark with "+
			"spec.repetitions.max above %d.", first.Repetitions())
	}
	return "Inconclusive does not mean equal. " + advice
}
