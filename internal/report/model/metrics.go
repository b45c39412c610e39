// SPDX-License-Identifier: Apache-2.0

package model

import (
	"cmp"
	"slices"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
)

// Entry is a measurement with its variant and its comparison.
type Entry struct {
	Measurement
	Details VariantRow
	// Comparison is nil for a variant without a reference.
	Comparison *RateComparison
	// Confirmation is nil except for winners that were measured again.
	Confirmation *Confirmation
	IsReference  bool
	// Work is the work of the whole workload.
	Work Work
	// Rank is the place by rate among the entries of equal protection on the same node, from 1.
	Rank int
}

// Rated is what entries are ranked by: the geometric mean, as in the ratios; 0 if all trials failed.
func (e Entry) Rated() float64 {
	if e.Statistics == nil {
		return 0
	}
	return e.Statistics.GeometricMean
}

// Verdict is empty for a variant that neither has a reference nor is one.
func (e Entry) Verdict() string {
	switch {
	case e.Comparison != nil:
		return string(e.Comparison.Verdict)
	case e.IsReference:
		return "Reference"
	}
	return ""
}

// Metric is what variants are compared by: one operation of one workload.
type Metric struct {
	Workload  string
	Operation v1alpha1.Operation
}

// MetricResults are all entries of one metric, in groups of equal protection on the same node, the best of each group
// first.
type MetricResults struct {
	Metric
	Groups [][]Entry
}

// sections are in the order of the measurements. Groups are in the order of the nodes; on each node, groups that
// protect the data better come first.
func (r *Report) sections() []MetricResults {
	variants, references := map[string]VariantRow{}, map[string]bool{}
	for _, v := range r.Variants {
		variants[v.Name], references[v.Reference] = v, true
	}
	comparisons := map[Place]*RateComparison{}
	for i, c := range r.Comparisons {
		comparisons[c.Place()] = &r.Comparisons[i]
	}
	confirmations := map[Place]*Confirmation{}
	for i, c := range r.Confirmations {
		confirmations[c.Place()] = &r.Confirmations[i]
	}
	type whole struct {
		Place
		pass int
	}
	work := map[whole]Work{}
	for _, w := range r.Work {
		work[whole{Place{workload: w.Workload, Variant: w.Variant, Node: w.Node}, w.Pass}] = w
	}
	var order []Metric
	entries := map[Metric][]Entry{}
	for _, m := range r.Results {
		k := Metric{m.Workload, m.Operation}
		if entries[k] == nil {
			order = append(order, k)
		}
		entries[k] = append(entries[k], Entry{
			Measurement: m, Details: variants[m.Variant], Comparison: comparisons[m.Place()],
			Confirmation: confirmations[m.Place()],
			IsReference:  references[m.Variant], Work: work[whole{Place{workload: m.Workload, Variant: m.Variant,
				Node: m.Node}, m.Pass}],
		})
	}
	var out []MetricResults
	for _, k := range order {
		out = append(out, MetricResults{k, ranked(entries[k])})
	}
	return out
}

// ranked divides the entries of a metric into groups and sorts each group.
func ranked(entries []Entry) [][]Entry {
	sameGroup := func(a, b Entry) int {
		return cmp.Or(cmp.Compare(a.Node, b.Node), plan.CompareProtection(a.Details.Protection, b.Details.Protection))
	}
	slices.SortStableFunc(entries, func(a, b Entry) int {
		return cmp.Or(sameGroup(a, b), cmp.Compare(b.Rated(), a.Rated()))
	})
	var groups [][]Entry
	for i, e := range entries {
		if i == 0 || sameGroup(entries[i-1], e) != 0 {
			groups = append(groups, nil)
		}
		last := &groups[len(groups)-1]
		e.Rank = len(*last) + 1
		*last = append(*last, e)
	}
	return groups
}

// Best returns the first entries of each group, at most limit in total, spread as evenly as the sizes of the groups
// allow.
func (s MetricResults) Best(limit int) [][]Entry {
	sizes := make([]int, 0, len(s.Groups))
	for _, g := range s.Groups {
		sizes = append(sizes, len(g))
	}
	var out [][]Entry
	for i, share := range Shares(sizes, limit) {
		if share > 0 {
			out = append(out, s.Groups[i][:share])
		}
	}
	return out
}

// Size is the number of all entries.
func (s MetricResults) Size() int {
	var n int
	for _, g := range s.Groups {
		n += len(g)
	}
	return n
}

// Shares divides a limit over groups of these sizes: each gets one in turn, until the limit is reached or every group
// is complete.
func Shares(sizes []int, limit int) []int {
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
