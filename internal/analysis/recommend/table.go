// SPDX-License-Identifier: Apache-2.0

package recommend

import (
	"maps"
	"math"
	"slices"
	"strings"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/analysis/experiment"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/text/human"
)

// table holds the measured values of the goals.
type table struct {
	goals []v1alpha1.RecommendGoal
	// nodes is the number of nodes.
	nodes int
	// values are by goal and variant.
	values []map[string]map[block]float64
}

func tabulate(goals []v1alpha1.RecommendGoal, nodes []experiment.NodeTrials) table {
	t := table{goals: goals, nodes: len(nodes)}
	for _, g := range goals {
		values := map[string]map[block]float64{}
		for i, n := range nodes {
			metric := experiment.Metric{Workload: g.Workload, Operation: g.Metric.Operation()}
			for variant, byRepetition := range n.Values(metric, experiment.Quantity(g.Metric.Quantity())) {
				for repetition, value := range byRepetition {
					if values[variant] == nil {
						values[variant] = map[block]float64{}
					}
					values[variant][block{i, repetition}] = value
				}
			}
		}
		t.values = append(t.values, values)
	}
	return t
}

// measured says whether a variant has a value for each goal on each node.
func (t table) measured(variant string) bool {
	for _, byVariant := range t.values {
		nodes := map[int]bool{}
		for b := range byVariant[variant] {
			nodes[b.node] = true
		}
		if len(nodes) < t.nodes {
			return false
		}
	}
	return true
}

// common are the blocks that have a value for every goal and candidate, in order.
func (t table) common(candidates []plan.Variant) []block {
	if len(candidates) == 0 {
		return nil
	}
	var blocks []block
	for b := range t.values[0][candidates[0].Name] {
		if !slices.ContainsFunc(candidates, func(v plan.Variant) bool { return !t.has(v.Name, b) }) {
			blocks = append(blocks, b)
		}
	}
	slices.SortFunc(blocks, func(a, b block) int { return (a.node-b.node)<<32 + a.repetition - b.repetition })
	return blocks
}

func (t table) has(variant string, b block) bool {
	return !slices.ContainsFunc(t.values, func(byVariant map[string]map[block]float64) bool {
		_, there := byVariant[variant][b]
		return !there
	})
}

// score is the mean of the goals' logarithms by their weights; higher is better.
func (t table) score(variant string, b block) float64 {
	var sum, weights float64
	for i, g := range t.goals {
		logarithm := math.Log(t.values[i][variant][b])
		if lessIsBetter(g.Metric) {
			logarithm = -logarithm
		}
		sum += float64(g.Weight) * logarithm
		weights += float64(g.Weight)
	}
	return sum / weights
}

// means are the geometric means of the goals over blocks.
func (t table) means(variant string, blocks []block) []float64 {
	means := make([]float64, len(t.goals))
	for i := range t.goals {
		for _, b := range blocks {
			means[i] += math.Log(t.values[i][variant][b]) / float64(len(blocks))
		}
		means[i] = math.Exp(means[i])
	}
	return means
}

func lessIsBetter(m v1alpha1.ThresholdMetric) bool { return strings.HasPrefix(m.Quantity(), "Latency") }

// Text formats a value of a metric.
func Text(m v1alpha1.ThresholdMetric, value float64) string {
	switch experiment.Quantity(m.Quantity()) {
	case experiment.Bandwidth:
		return human.Rate(value)
	case experiment.IOPS:
		return human.Count(value)
	}
	return human.Latency(value)
}

// sorted are the keys of properties in order.
func sorted[V any](properties map[string]V) []string { return slices.Sorted(maps.Keys(properties)) }
