// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"fmt"
	"math"
	"slices"

	"golang.org/x/perf/benchmath"
	"gonum.org/v1/gonum/stat"
)

// Summary is one metric of one variant over its repetitions, in the metric's unit unless said otherwise.
type Summary struct {
	// N is the number of repetitions.
	N int
	// Median is the middle value.
	Median float64
	// MedianInterval holds the median of all repetitions there could be, with at least 95% confidence, whatever their
	// distribution. It is unknown for fewer than 6 repetitions, and not calibrated for a stopping rule.
	MedianInterval Interval
	// GeometricMean is the exponential of the mean of the logarithms.
	GeometricMean float64
	// Interval95 holds the geometric mean of all repetitions there could be with 95% confidence, calibrated for the
	// stopping rule. It is unknown for fewer than 2 repetitions.
	Interval95 Interval
	// CoefficientOfVariation is the sample standard deviation as a fraction of the arithmetic mean; 0 for fewer than 2
	// repetitions.
	CoefficientOfVariation float64
}

// Summarize describes independent repetitions, after which the rule stopped. It is the zero Summary for no values. It
// returns ErrNotPositive, wrapped, for a value without a logarithm.
func Summarize(values []float64, rule StoppingRule) (Summary, error) {
	if len(values) == 0 {
		return Summary{}, nil
	}
	logs, err := logarithms(values)
	if err != nil {
		return Summary{}, fmt.Errorf("summarize: %w", err)
	}
	e := estimateOf(logs)
	return Summary{
		N:                      len(values),
		Median:                 Median(values),
		MedianInterval:         medianInterval(values),
		GeometricMean:          math.Exp(e.mean),
		Interval95:             rule.calibrated(e).interval(0.95),
		CoefficientOfVariation: coefficientOfVariation(values),
	}, nil
}

// medianInterval lies between two order statistics. benchmath sorts what it is given, so it gets a copy.
func medianInterval(values []float64) Interval {
	sample := benchmath.NewSample(slices.Clone(values), &benchmath.DefaultThresholds)
	s := benchmath.AssumeNothing.Summary(sample, 0.95)
	if math.IsInf(s.Lo, 0) || math.IsInf(s.Hi, 0) {
		return Interval{}
	}
	return Interval{Low: s.Lo, High: s.Hi}
}

func coefficientOfVariation(values []float64) float64 {
	if len(values) < 2 {
		return 0
	}
	mean, deviation := stat.MeanStdDev(values, nil)
	return deviation / mean
}
