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
	// maxVerdicts is how many workloads, operations and nodes have their verdicts above the tables.
	maxVerdicts = 24
)

// verdicts say first what a reader has come for: which variants are better than their reference, and which are not.
func (m *page) verdicts() {
	if m.incomplete() {
		m.printf("Not all trials have ended: what follows may change.\n\n")
	}
	if len(m.Comparisons) == 0 {
		m.printf("%s\n\n", m.noReference())
		return
	}
	m.printf("%s Differences within %s do not matter.\n\n", m.against(), human.Percent(m.Margin))
	groups := m.comparedGroups()
	for _, g := range groups[:min(len(groups), maxVerdicts)] {
		m.printf("%s:\n\n", g.title)
		m.note(m.verdictLines(g.comparisons)...)
		m.printf("\n")
	}
	if more := len(groups) - maxVerdicts; more > 0 {
		m.printf("And %d more, in the tables.\n\n", more)
	}
	m.winners()
	for _, advice := range []string{m.flattery(), m.advice()} {
		if advice != "" {
			m.printf("%s\n\n", advice)
		}
	}
}

// incomplete says whether there are fewer trials than planned.
func (m *page) incomplete() bool {
	return slices.ContainsFunc(m.Nodes, func(n model.Node) bool { return len(n.Trials) < n.Planned })
}

// noReference says how to have the variants compared.
func (m *page) noReference() string {
	of := ""
	if matrix := m.Spec.Matrix; matrix != nil && len(matrix.Axes) > 0 {
		axis := matrix.Axes[0]
		of = fmt.Sprintf(", or a value of an axis, for example %s=%s", axis.Name, valuesOf(axis)[0])
	}
	return fmt.Sprintf("There is no reference variant, so there are no verdicts: name one in spec.comparison.reference, for example %s%s.",
		escape(m.Variants[0].Name), escape(of))
}

// against says what the variants are compared with.
func (m *page) against() string {
	references := map[string]bool{}
	for _, c := range m.Comparisons {
		references[c.Reference] = true
	}
	if len(references) == 1 {
		return fmt.Sprintf("%ss are compared with that of %s, repetition by repetition.", title(m.rateWord()), escape(m.Comparisons[0].Reference))
	}
	reference := "the reference"
	if c := m.Spec.Comparison; c != nil {
		reference = c.Reference
	}
	return fmt.Sprintf("%ss are compared with that of the variant with %s and otherwise the same values, repetition by repetition.", title(m.rateWord()), escape(reference))
}

// compared are the comparisons of one workload and operation on one node.
type compared struct {
	title       string
	comparisons []model.Comparison
}

// comparedGroups are in the order of the tables, then of the nodes.
func (m *page) comparedGroups() []compared {
	type group struct {
		model.Metric
		node string
	}
	groups := map[group][]model.Comparison{}
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
func (m *page) verdictLines(comparisons []model.Comparison) []string {
	var lines []string
	for _, verdict := range []stats.Verdict{stats.Better, stats.Worse, stats.Equivalent, stats.Inconclusive} {
		var those []model.Comparison
		for _, c := range comparisons {
			if c.Verdict == verdict {
				those = append(those, c)
			}
		}
		if len(those) == 0 {
			continue
		}
		if verdict == stats.Better || verdict == stats.Worse {
			slices.SortStableFunc(those, func(a, b model.Comparison) int {
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
		lines = append(lines, fmt.Sprintf("%s, %d of %d: %s", verdict, len(those), len(comparisons), strings.Join(names, "; ")))
	}
	return lines
}

// named is a variant with its ratio, if that is sure to differ from 1, and what it does otherwise for the data than its reference.
func (m *page) named(c model.Comparison) string {
	name := escape(c.Variant)
	if c.Verdict == stats.Better || c.Verdict == stats.Worse {
		name += " " + model.Times(c.Ratio) + "×"
	}
	if unlike := m.protection(c.Variant).Unlike(m.protection(c.Reference)); unlike != "" {
		name += " (" + unlike + ")"
	}
	return name
}

func (m *page) protection(variant string) plan.Protection {
	i := slices.IndexFunc(m.Variants, func(v model.Variant) bool { return v.Name == variant })
	if i < 0 {
		return plan.Protection{}
	}
	return m.Variants[i].Protection
}

// advice says what to do about inconclusive comparisons. A benchmark cannot be changed: it takes another one.
func (m *page) advice() string {
	inconclusive := slices.ContainsFunc(m.Comparisons, func(c model.Comparison) bool { return c.Verdict == stats.Inconclusive })
	if !inconclusive || m.incomplete() {
		return ""
	}
	var first plan.Plan
	converged := true
	for _, n := range slices.Backward(m.Nodes) {
		first = n.Plan
		converged = converged && n.End.Converged
	}
	advice := fmt.Sprintf("More repetitions may settle it: spec.repetitions.min above %d", first.Repetitions())
	switch {
	case first.Stopping != nil && converged:
		advice = fmt.Sprintf("Narrower intervals may settle it: spec.repetitions.targetRelativeError below %s", human.Percent(first.Stopping.TargetRelativeError))
	case first.Stopping != nil:
		advice = fmt.Sprintf("A quieter node may settle it, or more repetitions: spec.repetitions.max above %d", first.Repetitions())
	}
	return fmt.Sprintf("Inconclusive does not mean equal. %s, in another benchmark.", advice)
}
