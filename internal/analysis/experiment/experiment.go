// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/stats"
)

// Metric is what variants are compared by: the rate of one operation of one workload. For a fixed block size, bandwidth
// and IOPS are equivalent.
type Metric struct {
	Workload  string
	Operation v1alpha1.Operation
}

// Metrics are the metrics that decide and have been measured: workloads in the order of the plan, and the operations of
// each in their order.
func Metrics(p plan.Plan, trials []result.Trial) []Metric {
	return metrics(p, trials, v1alpha1.Workload.DecisiveOperations)
}

// Recorded are likewise those that thresholds can bound.
func Recorded(p plan.Plan, trials []result.Trial) []Metric {
	return metrics(p, trials, v1alpha1.Workload.RecordedOperations)
}

func metrics(p plan.Plan, trials []result.Trial, of func(v1alpha1.Workload) []v1alpha1.Operation) []Metric {
	seen := map[Metric]bool{}
	for _, t := range trials {
		for _, s := range t.Samples {
			for _, o := range s.Operations() {
				seen[Metric{s.Workload, v1alpha1.Operation(o.Name)}] = true
			}
		}
	}
	var all []Metric
	for _, w := range p.Workloads {
		for _, o := range of(w) {
			if m := (Metric{w.Name, o}); seen[m] {
				all = append(all, m)
			}
		}
	}
	return all
}

// of is the metric's value in a trial, a Rate. It is false if the trial failed or did not measure it, or if the value
// has no logarithm.
func (m Metric) of(t result.Trial) (float64, bool) { return m.quantity(t, Rate) }

// quantity is like of, for any quantity of the metric's workload and operation.
func (m Metric) quantity(t result.Trial, q Quantity) (float64, bool) {
	if t.Failure != nil {
		return 0, false
	}
	for _, s := range t.Samples {
		if s.Workload != m.Workload {
			continue
		}
		if o := s.Operation(string(m.Operation)); o != nil {
			v := q.Of(*o)
			return v, v > 0 && !math.IsInf(v, 1)
		}
	}
	return 0, false
}

// InOrder are the values of a metric in the trials of a variant, in the order in which they were measured.
func (n NodeTrials) InOrder(m Metric, variant string) []float64 {
	trials := slices.Clone(n.Trials)
	slices.SortFunc(trials, func(a, b result.Trial) int { return cmp.Compare(a.Index, b.Index) })
	var values []float64
	for _, t := range trials {
		if v, ok := m.of(t); ok && t.Variant == variant {
			values = append(values, v)
		}
	}
	return values
}

// table holds each variant's values of one metric by repetition.
type table map[string]map[int]float64

func (m Metric) tabulate(trials []result.Trial) table { return m.tabulateQuantity(trials, Rate) }

// tabulateQuantity uses the geometric mean if a variant was measured more than once in a repetition, like the reference
// variant.
func (m Metric) tabulateQuantity(trials []result.Trial, q Quantity) table {
	type cell struct {
		variant    string
		repetition int
	}
	values := map[cell][]float64{}
	for _, t := range trials {
		if v, ok := m.quantity(t, q); ok {
			c := cell{t.Variant, t.Repetition}
			values[c] = append(values[c], v)
		}
	}
	all := table{}
	for c, measured := range values {
		if all[c.variant] == nil {
			all[c.variant] = map[int]float64{}
		}
		all[c.variant][c.repetition] = geometricMean(measured)
	}
	return all
}

// geometricMean is exact for a single value.
func geometricMean(values []float64) float64 {
	if len(values) == 1 {
		return values[0]
	}
	return stat.GeometricMean(values, nil)
}

// paired are the values of a variant and its reference in the repetitions up to last that have both; without a
// reference, the variant's values.
func (t table) paired(v plan.Variant, last int) stats.Series {
	var s stats.Series
	if v.Reference != "" {
		s.Reference = []float64{}
	}
	for repetition := 1; repetition <= last; repetition++ {
		value, ok := t[v.Name][repetition]
		reference, paired := t[v.Reference][repetition]
		if !ok || (v.Reference != "" && !paired) {
			continue
		}
		s.Values = append(s.Values, value)
		if v.Reference != "" {
			s.Reference = append(s.Reference, reference)
		}
	}
	return s
}

// rule is the plan's stopping rule; the zero rule if the number of repetitions is fixed.
func rule(p plan.Plan) stats.StoppingRule {
	if p.Stopping == nil {
		return stats.StoppingRule{}
	}
	return stats.StoppingRule{Min: p.Stopping.MinRepetitions, Max: p.Repetitions(),
		TargetRelativeError: p.Stopping.TargetRelativeError}
}
