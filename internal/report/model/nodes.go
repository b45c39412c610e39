// SPDX-License-Identifier: Apache-2.0

package model

import (
	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/analysis/experiment"
)

// NodesComparison is what several nodes say about the rate of a variant beside its reference variant.
type NodesComparison struct {
	Workload  string             `json:"workload"`
	Operation v1alpha1.Operation `json:"operation"`
	Variant   string             `json:"variant"`
	Reference string             `json:"reference"`
	// Ratios are those of Comparisons, one for each node that has one.
	Ratios []NodeRatio `json:"ratios"`
	// P is the probability of ratios that differ at least this much if the true ratio is the same on all nodes. It is 1 if
	// that is unknown. HolmP is corrected for all of these comparisons.
	P     float64 `json:"p"`
	HolmP float64 `json:"holmP"`
	// MeanRatio, Interval95 and NextNode95 are about all nodes that these were chosen from: their mean ratio, the interval
	// that contains it, and the one that contains the ratio that one more of them would have. They are unknown for fewer
	// than 5 nodes.
	MeanRatio  float64   `json:"meanRatio,omitempty"`
	Interval95 *Interval `json:"interval95,omitempty"`
	NextNode95 *Interval `json:"nextNode95,omitempty"`
}

// NodeRatio is the ratio of a variant to its reference on one node.
type NodeRatio struct {
	Node  string  `json:"node"`
	Ratio float64 `json:"ratio"`
}

// compareNodes compares nodes with each other by their comparisons.
func compareNodes(compared []experiment.MetricComparison) ([]NodesComparison, error) {
	all, err := experiment.CompareNodes(compared)
	if err != nil {
		return nil, err
	}
	type key struct {
		experiment.Metric
		variant string
	}
	ratios := map[key][]NodeRatio{}
	for _, c := range compared {
		if k := (key{c.Metric, c.Variant}); c.N > 0 {
			ratios[k] = append(ratios[k], NodeRatio{c.Node, comparisonOf(c).Ratio})
		}
	}
	var out []NodesComparison
	for _, c := range all {
		out = append(out, NodesComparison{
			Workload: c.Workload, Operation: c.Operation, Variant: c.Variant, Reference: c.Reference,
			Ratios: ratios[key{c.Metric, c.Variant}], P: c.P, HolmP: c.HolmP,
			MeanRatio: c.Ratio, Interval95: known(c.Interval95), NextNode95: known(c.NextNode95),
		})
	}
	return out, nil
}
