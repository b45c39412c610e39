// SPDX-License-Identifier: Apache-2.0

package report

import (
	"cmp"
	"slices"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
)

// entry is a measurement with what its variant is and how it compares.
type entry struct {
	Measurement
	variant Variant
	// comparison is nil for a variant without a reference.
	comparison *Comparison
	// confirmation is nil for all but winners that were measured anew.
	confirmation *Confirmation
	isReference  bool
	// work is that of the whole workload.
	work Work
	// rank is the place by rate among the entries of equal protection on the same node, from 1.
	rank int
}

// rated is what entries are ranked by: the geometric mean, as in the ratios; 0 where all trials failed.
func (e entry) rated() float64 {
	if e.Statistics == nil {
		return 0
	}
	return e.Statistics.GeometricMean
}

// verdict is empty for a variant without a reference that is not one either.
func (e entry) verdict() string {
	switch {
	case e.comparison != nil:
		return string(e.comparison.Verdict)
	case e.isReference:
		return "Reference"
	}
	return ""
}

// metric is what variants are compared by: one operation of one workload.
type metric struct {
	workload  string
	operation v1alpha1.Operation
}

// Section are all entries of one metric: groups of equal protection on the same node, the best of each first.
type Section struct {
	metric
	groups [][]entry
}

// sections are in the order of the measurements. Groups are in the order of the nodes, then those that protect the data better come first.
func (r *Report) sections() []Section {
	variants, references := map[string]Variant{}, map[string]bool{}
	for _, v := range r.Variants {
		variants[v.Name], references[v.Reference] = v, true
	}
	comparisons := map[place]*Comparison{}
	for i, c := range r.Comparisons {
		comparisons[c.place()] = &r.Comparisons[i]
	}
	confirmations := map[place]*Confirmation{}
	for i, c := range r.Confirmations {
		confirmations[c.place()] = &r.Confirmations[i]
	}
	type whole struct {
		place
		pass int
	}
	work := map[whole]Work{}
	for _, w := range r.Work {
		work[whole{place{workload: w.Workload, variant: w.Variant, node: w.Node}, w.Pass}] = w
	}
	var order []metric
	entries := map[metric][]entry{}
	for _, m := range r.Results {
		k := metric{m.Workload, m.Operation}
		if entries[k] == nil {
			order = append(order, k)
		}
		entries[k] = append(entries[k], entry{
			Measurement: m, variant: variants[m.Variant], comparison: comparisons[m.place()], confirmation: confirmations[m.place()],
			isReference: references[m.Variant], work: work[whole{place{workload: m.Workload, variant: m.Variant, node: m.Node}, m.Pass}],
		})
	}
	var out []Section
	for _, k := range order {
		out = append(out, Section{k, ranked(entries[k])})
	}
	return out
}

// ranked divides the entries of a metric into groups and orders each.
func ranked(entries []entry) [][]entry {
	sameGroup := func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.Node, b.Node), plan.CompareProtection(a.variant.Protection, b.variant.Protection))
	}
	slices.SortStableFunc(entries, func(a, b entry) int { return cmp.Or(sameGroup(a, b), cmp.Compare(b.rated(), a.rated())) })
	var groups [][]entry
	for i, e := range entries {
		if i == 0 || sameGroup(entries[i-1], e) != 0 {
			groups = append(groups, nil)
		}
		last := &groups[len(groups)-1]
		e.rank = len(*last) + 1
		*last = append(*last, e)
	}
	return groups
}

// best takes the first entries of each group, as evenly as the groups' sizes let it, at most limit.
func (s Section) best(limit int) []entry {
	sizes := make([]int, 0, len(s.groups))
	for _, g := range s.groups {
		sizes = append(sizes, len(g))
	}
	var out []entry
	for i, share := range shares(sizes, limit) {
		out = append(out, s.groups[i][:share]...)
	}
	return out
}

// size is the number of all entries.
func (s Section) size() int {
	var n int
	for _, g := range s.groups {
		n += len(g)
	}
	return n
}

// shares divides a limit over groups of these sizes, one to each in turn until the limit is reached or all have what they are.
func shares(sizes []int, limit int) []int {
	out := make([]int, len(sizes))
	for given := true; given; {
		given = false
		for i, size := range sizes {
			if limit > 0 && out[i] < size {
				out[i]++
				limit--
				given = true
			}
		}
	}
	return out
}
