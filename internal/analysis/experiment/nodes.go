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

// CompareNodes says for every variant that has a reference whether its ratio differs between nodes. compared are the
// comparisons of all nodes, from Compare. The results are in the order of their first node.
func CompareNodes(compared []MetricComparison) ([]NodesComparison, error) {
	type key struct {
		Metric
		variant string
	}
	var order []key
	groups := map[key][]MetricComparison{}
	for _, c := range compared {
		k := key{c.Metric, c.Variant}
		if groups[k] == nil {
			order = append(order, k)
		}
		groups[k] = append(groups[k], c)
	}
	var all []NodesComparison
	var values []float64
	for _, k := range order {
		var blocks []stats.Series
		for _, c := range groups[k] {
			blocks = append(blocks, c.blocks)
		}
		first := groups[k][0]
		c, err := stats.CompareNodes(blocks, first.rule) // all plans have the same rule
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
