// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"fmt"

	"zfsbench.io/operator/internal/stats"
)

// NodesComparison is what several nodes say about one metric of one variant against its reference variant.
type NodesComparison struct {
	Metric
	Variant, Reference string
	stats.NodesComparison
	// HolmP is P corrected for all of these comparisons of the benchmark.
	HolmP float64
}

// CompareNodes says for every variant that has a reference whether its ratio differs between nodes. The results are in
// the order of the metrics and the plan. There are none for fewer than two nodes.
func CompareNodes(nodes []NodeTrials) ([]NodesComparison, error) {
	if len(nodes) < 2 {
		return nil, nil
	}
	type key struct {
		Metric
		variant string
	}
	var order []key
	groups := map[key][]pair{}
	for _, p := range pairs(nodes) {
		k := key{p.Metric, p.Variant}
		if groups[k] == nil {
			order = append(order, k)
		}
		groups[k] = append(groups[k], p)
	}
	var all []NodesComparison
	var values []float64
	for _, k := range order {
		var series []stats.Series
		for _, p := range groups[k] {
			series = append(series, p.series)
		}
		first := groups[k][0]
		c, err := stats.CompareNodes(series, first.rule) // all plans have the same rule
		if err != nil {
			return nil, fmt.Errorf("compare %s with %s: %w", first.Variant, first.Reference, err)
		}
		all = append(all, NodesComparison{Metric: k.Metric, Variant: first.Variant, Reference: first.Reference,
			NodesComparison: c})
		values = append(values, c.P)
	}
	for i, corrected := range stats.Holm(values) {
		all[i].HolmP = corrected
	}
	return all, nil
}
