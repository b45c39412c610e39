// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/stats"
)

// Quantity is what is measured of one operation of a workload. Variants are compared by Rate; thresholds may use any
// quantity.
type Quantity string

// The quantities. Latencies are total latency.
const (
	// Rate is the bandwidth, or the IOPS if the operation moves no bytes.
	Rate        Quantity = "Rate"
	Bandwidth   Quantity = "Bandwidth"
	IOPS        Quantity = "IOPS"
	LatencyMean Quantity = "LatencyMean"
	LatencyP50  Quantity = "LatencyP50"
	LatencyP95  Quantity = "LatencyP95"
	LatencyP99  Quantity = "LatencyP99"
	LatencyP999 Quantity = "LatencyP999"
)

// Of is the quantity's value, in bytes per second, I/O per second or nanoseconds. It is 0 if it is unknown, like a
// percentile without a histogram, or if there is no such quantity.
func (q Quantity) Of(d result.Operation) float64 {
	switch q {
	case Rate:
		return d.Rate()
	case Bandwidth:
		return d.BandwidthBytesPerSecond
	case IOPS:
		return d.IOPS
	case LatencyMean:
		return d.Latency.MeanNanoseconds
	case LatencyP50:
		return float64(d.Latency.P50Nanoseconds)
	case LatencyP95:
		return float64(d.Latency.P95Nanoseconds)
	case LatencyP99:
		return float64(d.Latency.P99Nanoseconds)
	case LatencyP999:
		return float64(d.Latency.P999Nanoseconds)
	}
	return 0
}

// Sample is the values of a quantity of a variant on one node, one for each repetition that has one. If the variant was
// compared with a reference, or was the reference, its own scatter did not decide when to stop, and the sample has no
// rule.
func (n NodeTrials) Sample(m Metric, q Quantity, variant plan.Variant) stats.Sample {
	alone := variant
	alone.Reference = ""
	s := stats.Sample{Values: m.tabulateQuantity(n.Trials, q).paired(alone, n.Plan.Repetitions()).Values}
	if variant.Reference == "" && !n.Plan.References()[variant.Name] {
		s.Rule = rule(n.Plan)
	}
	return s
}

// Values are the values of a quantity on one node, by variant and repetition. A trial that failed, or did not measure
// the quantity, has none.
func (n NodeTrials) Values(m Metric, q Quantity) map[string]map[int]float64 {
	return m.tabulateQuantity(n.Trials, q)
}

// CompareWithReference compares a quantity of a variant with its reference variant on the same node, repetition by
// repetition.
func (n NodeTrials) CompareWithReference(m Metric, q Quantity, variant plan.Variant) (stats.Comparison, error) {
	s := m.tabulateQuantity(n.Trials, q).paired(variant, n.Plan.Repetitions())
	return stats.Compare(s.Values, s.Reference, rule(n.Plan))
}
