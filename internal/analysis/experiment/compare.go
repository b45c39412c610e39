// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"fmt"

	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/stats"
)

// NodeTrials is what one node has measured: trials of Plan, in any order.
type NodeTrials struct {
	Plan   plan.Plan
	Trials []result.Trial
}

// MetricComparison is one metric of one variant against its reference variant on one node.
type MetricComparison struct {
	Metric
	Node, Variant, Reference string
	stats.Comparison
	// HolmP is P corrected for all comparisons of the benchmark.
	HolmP   float64
	Verdict stats.Verdict

	// blocks are the values that were compared, and rule is what ended them.
	blocks stats.Series
	rule   stats.StoppingRule
}

// Compare compares every variant that has a reference with it, separately on each node, repetition by repetition. All
// comparisons are one family: Holm's correction counts them all, including those on other nodes. margin is the
// difference that does not matter, as a fraction. The results are in the order of the nodes, the metrics and the plan.
func Compare(nodes []NodeTrials, margin float64) ([]MetricComparison, error) {
	var all []MetricComparison
	for _, n := range nodes {
		rule, last := rule(n.Plan), n.Plan.Repetitions()
		for _, m := range Metrics(n.Plan, n.Trials) {
			t := m.tabulate(n.Trials)
			for _, v := range n.Plan.Variants {
				if v.Reference == "" {
					continue
				}
				blocks := t.paired(v, last)
				c, err := stats.Compare(blocks.Values, blocks.Reference, rule)
				if err != nil {
					return nil, fmt.Errorf("compare %s with %s: %w", v.Name, v.Reference, err)
				}
				all = append(all, MetricComparison{Metric: m, Node: n.Plan.Node.Name, Variant: v.Name, Reference: v.Reference,
					Comparison: c, blocks: blocks, rule: rule})
			}
		}
	}
	family := make([]*MetricComparison, 0, len(all))
	for i := range all {
		family = append(family, &all[i])
	}
	judge(family, margin)
	return all, nil
}

// judge corrects the p values of a family by Holm's method, and sets the verdicts accordingly.
func judge(family []*MetricComparison, margin float64) {
	p := make([]float64, 0, len(family))
	for _, c := range family {
		p = append(p, c.P)
	}
	for i, corrected := range stats.Holm(p) {
		c := family[i]
		c.HolmP, c.Verdict = corrected, stats.Judge(c.Comparison, corrected, margin, stats.Maximize)
	}
}

// Summarize describes a metric of a variant on one node over its repetitions, one value for each.
func (n NodeTrials) Summarize(m Metric, variant plan.Variant) (stats.Summary, error) {
	sample := n.Sample(m, Rate, variant)
	return stats.Summarize(sample.Values, sample.Rule)
}
