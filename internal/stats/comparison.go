// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"fmt"
	"math"
)

// Comparison is one metric of one variant against the reference variant.
type Comparison struct {
	// N is the number of complete blocks.
	N int
	// Ratio is the geometric mean of variant / reference over the blocks.
	Ratio float64
	// Interval95 and Interval90 hold the true ratio with 95% and 90% confidence, by the paired t distribution on the
	// logarithms of the ratios, calibrated for the stopping rule. They are unknown for fewer than 2 blocks.
	Interval95, Interval90 Interval
	// P is the probability of a ratio at least this far from 1, on either side, if the true one is 1; 1 for fewer than 2
	// blocks. Interval95 leaves out 1 exactly if P < 0.05. It is of this comparison alone: Holm corrects it for the
	// others.
	P float64
}

// Compare pairs values[i] with reference[i], which the same block measured, so that what a whole block shared (drift, a
// busy hour) cancels out. It is the zero Comparison, with P 1, for no blocks. It returns ErrBlocks for slices of
// different lengths and ErrNotPositive for a value without a logarithm, both wrapped.
func Compare(values, reference []float64, rule StoppingRule) (Comparison, error) {
	logs, err := logRatios(values, reference)
	if err != nil {
		return Comparison{}, fmt.Errorf("compare: %w", err)
	}
	if len(logs) == 0 {
		return Comparison{P: 1}, nil
	}
	e := rule.calibrated(estimateOf(logs))
	return e.comparison(), nil
}

// logRatios are the natural logarithms of values[i] / reference[i].
func logRatios(values, reference []float64) ([]float64, error) {
	if len(values) != len(reference) {
		return nil, fmt.Errorf("%d values, %d of the reference: %w", len(values), len(reference), ErrBlocks)
	}
	logs, err := logarithms(values)
	if err != nil {
		return nil, err
	}
	references, err := logarithms(reference)
	if err != nil {
		return nil, fmt.Errorf("reference: %w", err)
	}
	for i := range logs {
		logs[i] -= references[i]
	}
	return logs, nil
}

// comparison returns the ratio and its intervals from the estimate of its logarithm.
func (e estimate) comparison() Comparison {
	return Comparison{
		N:          e.n,
		Ratio:      math.Exp(e.mean),
		Interval95: e.interval(0.95),
		Interval90: e.interval(0.90),
		P:          e.p(),
	}
}
