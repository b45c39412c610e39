// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"maps"
	"slices"

	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/stats"
)

// Leader is the fastest variant in a metric among those that protect the data equally, if it is faster than its
// reference.
type Leader struct {
	Metric
	Variant, Reference string
	// Ratio is the ratio to the reference, from the same repetitions that chose the leader. So it looks better than it
	// is, and more so with more variants.
	Ratio float64
}

// Confirmation compares a leader with its reference in repetitions that did not choose it.
type Confirmation struct {
	// Comparison's HolmP is corrected for all confirmations of the benchmark.
	MetricComparison
	// SearchRatio is the ratio by the repetitions that chose the leader.
	SearchRatio float64
}

// Searched leaves out the trials of the confirming repetitions.
func (n NodeTrials) Searched() NodeTrials { return n.only(false) }

// confirmed has only the trials of the confirming repetitions.
func (n NodeTrials) confirmed() NodeTrials { return n.only(true) }

func (n NodeTrials) only(confirming bool) NodeTrials {
	if n.Plan.ConfirmingRepetitions == 0 && !confirming {
		return n
	}
	last, trials := n.Plan.Repetitions(), []result.Trial(nil)
	for _, t := range n.Trials {
		if (t.Repetition > last) == confirming {
			trials = append(trials, t)
		}
	}
	return NodeTrials{Plan: n.Plan, Trials: trials}
}

// Leaders are in the order of the metrics; variants that protect the data better come first. Confirming repetitions do
// not count.
func (n NodeTrials) Leaders() []Leader {
	searched, last := n.Searched().Trials, n.Plan.Repetitions()
	var leaders []Leader
	for _, m := range Metrics(n.Plan, searched) {
		t := m.tabulate(searched)
		fastest, bandwidth := map[plan.Protection]plan.Variant{}, map[plan.Protection]float64{}
		for _, v := range n.Plan.Variants {
			values := t.paired(plan.Variant{Name: v.Name}, last).Values
			if len(values) == 0 {
				continue
			}
			if p, mean := plan.ProtectionOf(v), geometricMean(values); mean > bandwidth[p] {
				fastest[p], bandwidth[p] = v, mean
			}
		}
		for _, p := range slices.SortedFunc(maps.Keys(fastest), plan.CompareProtection) {
			v := fastest[p]
			if ratio := t.ratio(v, last); ratio > 1 {
				leaders = append(leaders, Leader{Metric: m, Variant: v.Name, Reference: v.Reference, Ratio: ratio})
			}
		}
	}
	return leaders
}

// ratio is the geometric mean of the ratios to the reference; 0 if there are none.
func (t table) ratio(v plan.Variant, last int) float64 {
	if v.Reference == "" {
		return 0
	}
	s := t.paired(v, last)
	if len(s.Values) == 0 {
		return 0
	}
	return geometricMean(s.Values) / geometricMean(s.Reference)
}

// confirming are the variants to measure again: the leaders and their references, in the order of the plan.
func (n NodeTrials) confirming() []string {
	wanted := map[string]bool{}
	for _, l := range n.Leaders() {
		wanted[l.Variant], wanted[l.Reference] = true, true
	}
	var names []string
	for _, v := range n.Plan.Variants {
		if wanted[v.Name] {
			names = append(names, v.Name)
		}
	}
	return names
}

// Confirm compares the leaders with their references in the confirming repetitions, on nodes whose plan has ended. All
// comparisons are one family for Holm's correction. margin is the difference that does not matter, as a fraction.
func Confirm(nodes []NodeTrials, margin float64) ([]Confirmation, error) {
	var all []Confirmation
	for _, n := range nodes {
		end := EndOf(n.Plan, n.Trials)
		if n.Plan.ConfirmingRepetitions == 0 || !end.Decided {
			continue
		}
		counted := NodeTrials{Plan: n.Plan, Trials: end.Counted(n.Trials)}
		confirmed, last := counted.confirmed().Trials, n.Plan.Repetitions()+n.Plan.ConfirmingRepetitions
		for _, l := range counted.Leaders() {
			s := l.tabulate(confirmed).paired(plan.Variant{Name: l.Variant, Reference: l.Reference}, last)
			c, err := stats.Compare(s.Values, s.Reference, stats.StoppingRule{})
			if err != nil {
				return nil, err
			}
			compared := MetricComparison{Metric: l.Metric, Node: n.Plan.Node.Name, Variant: l.Variant, Reference: l.Reference,
				Comparison: c}
			all = append(all, Confirmation{compared, l.Ratio})
		}
	}
	family := make([]*MetricComparison, 0, len(all))
	for i := range all {
		family = append(family, &all[i].MetricComparison)
	}
	judge(family, margin)
	return all, nil
}
