// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"fmt"
	"math"
)

// Sample are independent repetitions of one metric of one variant, and the rule that ended them by their own scatter;
// the zero rule if something else did.
type Sample struct {
	Values []float64
	Rule   StoppingRule
}

// CompareUnpaired compares two samples without common blocks, as of two benchmarks, by Welch's t distribution on the
// logarithms: the two may scatter differently and differ in number. The Ratio is between their geometric means, and N
// is the smaller number. Each standard error is calibrated for its own stopping rule. It is the zero Comparison, with P
// 1, if one of them is empty; the intervals are unknown if one of them has a single value. It returns ErrNotPositive,
// wrapped.
func CompareUnpaired(sample, other Sample) (Comparison, error) {
	logs, err := logarithms(sample.Values)
	if err != nil {
		return Comparison{}, fmt.Errorf("compare: %w", err)
	}
	others, err := logarithms(other.Values)
	if err != nil {
		return Comparison{}, fmt.Errorf("compare: the other: %w", err)
	}
	if len(logs) == 0 || len(others) == 0 {
		return Comparison{P: 1}, nil
	}
	e := sample.Rule.calibrated(estimateOf(logs)).minus(other.Rule.calibrated(estimateOf(others)))
	return e.comparison(), nil
}

// minus is the difference of two independent means. Source of the degrees of freedom: B. L. Welch, The Generalization
// of Student's Problem when several Different Population Variances are Involved, Biometrika 34 (1947) 28-35.
func (e estimate) minus(other estimate) estimate {
	d := estimate{n: min(e.n, other.n), mean: e.mean - other.mean,
		standardError: math.Hypot(e.standardError, other.standardError)}
	if d.n < 2 || d.standardError == 0 {
		return d
	}
	a, b := math.Pow(e.standardError/d.standardError, 4), math.Pow(other.standardError/d.standardError, 4)
	d.degreesOfFreedom = 1 / (a/float64(e.n-1) + b/float64(other.n-1))
	return d
}
