// SPDX-License-Identifier: Apache-2.0

package model

import (
	"math"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/analysis/compare"
	"zfsbench.io/operator/internal/analysis/experiment"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/stats"
)

// Interval contains the true value with the confidence that its field's name says.
type Interval compare.Interval

// Statistics describe a rate with one value for each repetition, in bytes per second, or in operations per second if no
// bytes are moved: see docs/statistics.md. A failed trial has no value. Two trials in one repetition count with their
// geometric mean.
type Statistics struct {
	N      int     `json:"n"`
	Median float64 `json:"median"`
	// MedianInterval contains the median with at least 95% confidence, for any distribution; nil for fewer than 6
	// repetitions.
	MedianInterval *Interval `json:"medianInterval,omitempty"`
	GeometricMean  float64   `json:"geometricMean"`
	// Interval95 contains the geometric mean; nil for fewer than 2 repetitions.
	Interval95 *Interval `json:"interval95,omitempty"`
	// CoefficientOfVariation is the standard deviation as a fraction of the mean; 0 for fewer than 2 repetitions.
	CoefficientOfVariation float64 `json:"coefficientOfVariation"`
	// Outliers are trials that differ strongly from the others. All other numbers include them.
	Outliers []Outlier `json:"outliers,omitempty"`
}

// Outlier is a trial whose modified z-score is beyond 3.5.
type Outlier struct {
	Trial      int `json:"trial"`
	Repetition int `json:"repetition"`
	// Rate is as in Statistics.
	Rate float64 `json:"rate"`
}

// RateComparison compares the rate of a variant with its reference variant, over the repetitions that have both.
type RateComparison struct {
	Workload  string             `json:"workload"`
	Variant   string             `json:"variant"`
	Reference string             `json:"reference"`
	Node      string             `json:"node"`
	Operation v1alpha1.Operation `json:"operation"`
	N         int                `json:"n"`
	// Ratio is the geometric mean of the ratios to the reference; 0 if there is none.
	Ratio float64 `json:"ratio,omitempty"`
	// Interval95 and Interval90 contain the true ratio; they are nil for fewer than 2 repetitions.
	Interval95 *Interval `json:"interval95,omitempty"`
	Interval90 *Interval `json:"interval90,omitempty"`
	// P is for this comparison alone; HolmP is corrected for all comparisons.
	P       float64       `json:"p"`
	HolmP   float64       `json:"holmP"`
	Verdict stats.Verdict `json:"verdict"`
}

// Place identifies a measurement.
type Place struct {
	workload, Variant, Node string
	operation               v1alpha1.Operation
}

// Place identifies what was measured.
func (m Measurement) Place() Place { return Place{m.Workload, m.Variant, m.Node, m.Operation} }

// Place identifies the measurement that is compared with its reference.
func (c RateComparison) Place() Place { return Place{c.Workload, c.Variant, c.Node, c.Operation} }

// known converts an interval for JSON; nil for an unknown one.
func known(i stats.Interval) *Interval { return (*Interval)(compare.Known(i)) }

func finite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }

// RelativeError is how far an interval reaches from its middle, as a fraction; infinite if the interval is unknown.
func (i *Interval) RelativeError() float64 {
	if i == nil {
		return math.Inf(1)
	}
	return stats.Interval{Low: i.Low, High: i.High}.RelativeError()
}

// addComparisons compares all variants that have a reference, on each node and across nodes.
func (r *Report) addComparisons(nodes []NodeResults) error {
	compared, err := experiment.Compare(experiments(nodes), r.Margin)
	if err != nil {
		return err
	}
	r.Comparisons = make([]RateComparison, 0, len(compared))
	for _, c := range compared {
		r.Comparisons = append(r.Comparisons, comparisonOf(c))
	}
	if len(nodes) > 1 {
		r.AcrossNodes, err = compareNodes(compared)
	}
	return err
}

func experiments(nodes []NodeResults) []experiment.NodeTrials {
	out := make([]experiment.NodeTrials, 0, len(nodes))
	for _, n := range nodes {
		out = append(out, n.experiment())
	}
	return out
}

func comparisonOf(c experiment.MetricComparison) RateComparison {
	out := RateComparison{
		Workload: c.Workload, Variant: c.Variant, Reference: c.Reference, Node: c.Node, Operation: c.Operation, N: c.N,
		Interval95: known(c.Interval95), Interval90: known(c.Interval90), P: c.P, HolmP: c.HolmP, Verdict: c.Verdict,
	}
	if finite(c.Ratio) {
		out.Ratio = c.Ratio
	}
	return out
}

// addStatistics sets the statistics of all measurements. A node's trials are grouped by variant only once, because
// there may be many of both.
func addStatistics(nodes []NodeResults, all []Measurement) error {
	type group struct{ node, variant string }
	inputs, variants := map[group]experiment.NodeTrials{}, map[group]plan.Variant{}
	for _, n := range nodes {
		for _, v := range n.Plan.Variants {
			g := group{n.Name, v.Name}
			inputs[g], variants[g] = experiment.NodeTrials{Plan: n.Plan}, v
		}
		for _, t := range n.Searched() {
			g := group{n.Name, t.Variant}
			if input, planned := inputs[g]; planned {
				input.Trials = append(input.Trials, t)
				inputs[g] = input
			}
		}
	}
	for i, m := range all {
		g := group{m.Node, m.Variant}
		input, metric := inputs[g], experiment.Metric{Workload: m.Workload, Operation: m.Operation}
		s, err := input.Summarize(metric, variants[g])
		if err != nil {
			return err
		}
		if s.N > 0 {
			all[i].Statistics = statisticsOf(s, outliersOf(metric, input.Trials))
		}
	}
	return nil
}

func statisticsOf(s stats.Summary, outliers []Outlier) *Statistics {
	out := &Statistics{
		N: s.N, Median: s.Median, MedianInterval: known(s.MedianInterval), GeometricMean: s.GeometricMean,
		Interval95: known(s.Interval95), Outliers: outliers,
	}
	if finite(s.CoefficientOfVariation) {
		out.CoefficientOfVariation = s.CoefficientOfVariation
	}
	return out
}

// leastForOutliers is how many trials are needed to call one of them an outlier.
const leastForOutliers = 4

// outliersOf looks at trials, not repetitions, because a reader can look up a trial.
func outliersOf(metric experiment.Metric, trials []result.Trial) []Outlier {
	var all []Outlier
	var values []float64
	for _, t := range trials {
		for _, s := range t.Samples {
			operation := s.Operation(string(metric.Operation))
			if t.Failure == nil && s.Workload == metric.Workload && operation != nil {
				all = append(all, Outlier{t.Index, t.Repetition, operation.Rate()})
				values = append(values, operation.Rate())
			}
		}
	}
	if len(all) < leastForOutliers {
		return nil
	}
	var outliers []Outlier
	for _, i := range stats.Outliers(values) {
		outliers = append(outliers, all[i])
	}
	return outliers
}
