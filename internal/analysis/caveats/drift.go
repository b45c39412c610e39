// SPDX-License-Identifier: Apache-2.0

package caveats

import (
	"fmt"
	"math"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/analysis/experiment"
	"zfsbench.io/operator/internal/stats"
	"zfsbench.io/operator/internal/text/human"
)

// driftSignificance is stricter than usual, because each metric of each node is tested.
const driftSignificance = 0.01

// leastDrift is how many trials are needed to distinguish a drift from chance.
const leastDrift = 6

// drifts finds variants that were measured during the whole benchmark and became faster or slower: the reference
// variant, or the only variant.
func drifts(n experiment.NodeTrials, margin float64) []Warning {
	name := n.Plan.Reference()
	if name == "" {
		name = n.Plan.Variants[0].Name
	}
	meaning := "Comparisons within a repetition allow for that; absolute numbers do not."
	if n.Plan.Order != nil && n.Plan.Order.Kind == v1alpha1.OrderSequential {
		meaning = "With order Sequential the variants ran one after the other: such a drift looks like a difference " +
			"between them."
	}
	var warnings []Warning
	for _, m := range experiment.Metrics(n.Plan, n.Trials) {
		values := n.InOrder(m, name)
		if len(values) < leastDrift {
			continue
		}
		trend, err := stats.TrendOf(values)
		if err != nil || trend.P >= driftSignificance || math.Abs(math.Log(trend.Ratio)) <= math.Log1p(margin) {
			continue
		}
		direction := "faster"
		if trend.Ratio < 1 {
			direction = "slower"
		}
		warnings = append(warnings, Warning{
			Kind: v1alpha1.ConditionDrift, Node: n.Plan.Node.Name, Variant: name, Workload: m.Workload,
			Message: fmt.Sprintf("From its first to its last trial it became %s %s at %s. %s",
				human.Percent(math.Abs(trend.Ratio-1)), direction, verb(m.Operation), meaning),
		})
	}
	return warnings
}

func verb(o v1alpha1.Operation) string {
	switch o {
	case v1alpha1.OperationRead:
		return "reading"
	case v1alpha1.OperationWrite:
		return "writing"
	}
	return string(o)
}
