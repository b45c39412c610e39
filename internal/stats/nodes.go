// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// MinRandomNodes is how many nodes it takes to say anything about others. With fewer, the scatter between nodes is
// hardly known, and the intervals would be too wide to be of use.
const MinRandomNodes = 5

// NodesComparison is what several nodes say about one ratio.
type NodesComparison struct {
	// Nodes is the number of nodes that have a ratio.
	Nodes int
	// P is the probability of ratios that differ at least this much between nodes if the true ratio is the same on all of
	// them; 1 if that is unknown, because fewer than two nodes have 2 blocks, or the blocks of one do not scatter.
	P float64
	// Ratio is the geometric mean of the nodes' ratios; 0 for fewer than MinRandomNodes.
	Ratio float64
	// Interval95 holds the mean ratio of all nodes that these were chosen from, with 95% confidence. NextNode95 holds the
	// ratio that as many blocks measure on one more of them. Both are unknown for fewer than MinRandomNodes.
	Interval95, NextNode95 Interval
}

// CompareNodes says whether a ratio differs between nodes, and from MinRandomNodes on what to expect of others like
// them. nodes are the blocks of each, which the same rule has ended; a node without blocks does not count. The nodes
// may scatter differently and differ in the number of blocks. It returns the errors of Compare.
func CompareNodes(nodes []Series, rule StoppingRule) (NodesComparison, error) {
	var estimates []estimate
	var means []float64
	for i, s := range nodes {
		logs, err := logRatios(s.Values, s.Reference)
		if err != nil {
			return NodesComparison{}, fmt.Errorf("compare nodes: node %d: %w", i, err)
		}
		if len(logs) > 0 {
			e := rule.calibrated(estimateOf(logs))
			estimates, means = append(estimates, e), append(means, e.mean)
		}
	}
	c := NodesComparison{Nodes: len(means), P: heterogeneity(estimates)}
	if len(means) < MinRandomNodes {
		return c, nil
	}
	overall := estimateOf(means)
	next := overall // one more ratio scatters around the mean like these, and the mean is not known exactly either
	next.standardError *= math.Sqrt(float64(len(means)) + 1)
	c.Ratio, c.Interval95, c.NextNode95 = math.Exp(overall.mean), overall.interval(0.95), next.interval(0.95)
	return c, nil
}

// heterogeneity is the p value of Welch's test that all means are equal. Unlike Cochran's Q, it allows for standard
// errors that are estimated from few blocks. Source: B. L. Welch, On the Comparison of Several Mean Values: An
// Alternative Approach, Biometrika 38 (1951) 330-336.
func heterogeneity(all []estimate) float64 {
	var means, weights, freedom []float64
	for _, e := range all {
		if e.n < 2 {
			continue
		}
		if e.standardError == 0 {
			return 1
		}
		means, weights = append(means, e.mean), append(weights, 1/(e.standardError*e.standardError))
		freedom = append(freedom, float64(e.n-1))
	}
	k := float64(len(means))
	if k < 2 {
		return 1
	}
	mean := stat.Mean(means, weights)
	var total, between, lambda float64
	for _, w := range weights {
		total += w
	}
	for i, w := range weights {
		between += w * (means[i] - mean) * (means[i] - mean) / (k - 1)
		lambda += (1 - w/total) * (1 - w/total) / freedom[i]
	}
	f := between / (1 + 2*(k-2)/(k*k-1)*lambda)
	if math.IsNaN(f) {
		return 1
	}
	return distuv.F{D1: k - 1, D2: (k*k - 1) / (3 * lambda)}.Survival(f)
}
