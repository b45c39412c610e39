// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// sleep1 and sleep2 are the hours of sleep that two drugs added for the same ten patients: Student, The Probable Error
// of a Mean, Biometrika 6 (1908) 1-25, as in R's data set sleep. The tests use them as logarithms.
var (
	sleep1 = []float64{0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0}
	sleep2 = []float64{1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4}
)

func exponentials(logs []float64) []float64 {
	values := make([]float64, len(logs))
	for i, l := range logs {
		values[i] = math.Exp(l)
	}
	return values
}

// TestSummarize compares the interval of the mean with R's t.test(sleep1), -0.5297804 to 2.0297804, and the interval of
// the median, between the 2nd and the 9th of ten values, with W. J. Conover, Practical Nonparametric Statistics, 3rd
// ed. 1999, table A3: 97.9%.
func TestSummarize(t *testing.T) {
	fixed := StoppingRule{Min: 10, Max: 10, TargetRelativeError: 0.025}
	tests := map[string]struct {
		values []float64
		want   Summary
	}{
		"none": {nil, Summary{}},
		"one":  {[]float64{7}, Summary{N: 1, Median: 7, GeometricMean: 7}},
		"equal": {[]float64{7, 7, 7, 7, 7, 7}, Summary{
			N: 6, Median: 7, MedianInterval: Interval{7, 7}, GeometricMean: 7, Interval95: Interval{7, 7},
		}},
		"five have no interval of the median": {[]float64{1, 2, 4, 8, 16}, Summary{
			N: 5, Median: 4, GeometricMean: 4, CoefficientOfVariation: math.Sqrt(37.2) / 6.2,
			// 2.776445 is the 97.5% quantile of t with 4 degrees of freedom, ln 2 sqrt(2.5) the standard deviation.
			Interval95: Interval{4 * math.Exp(-2.776445*math.Ln2*math.Sqrt(0.5)),
				4 * math.Exp(2.776445*math.Ln2*math.Sqrt(0.5))},
		}},
		"ten": {exponentials(sleep1), Summary{
			N: 10, Median: (1 + math.Exp(0.7)) / 2, MedianInterval: Interval{math.Exp(-1.2), math.Exp(3.4)},
			GeometricMean: math.Exp(0.75),
			Interval95:    Interval{math.Exp(-0.5297804), math.Exp(2.0297804)}, CoefficientOfVariation: 1.6918905,
		}},
	}
	for name, tt := range tests {
		before := slices.Clone(tt.values)
		got, err := Summarize(tt.values, fixed)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(tt.want, got, cmpopts.EquateApprox(1e-6, 0)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff(before, tt.values); diff != "" {
			t.Errorf("%s: the caller's values changed:\n%s", name, diff)
		}
	}
	if _, err := Summarize([]float64{1, 0}, fixed); !errors.Is(err, ErrNotPositive) {
		t.Errorf("got %v, want ErrNotPositive", err)
	}
}
