// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// TestCompare compares with R's documented t.test(sleep1, sleep2, paired = TRUE): mean of the differences -1.58,
// p-value = 0.002833, 95 percent confidence interval -2.4598858 -0.7001142. The 90% interval is -1.58 +- 1.833113 *
// 1.58/4.062128.
func TestCompare(t *testing.T) {
	tests := map[string]struct {
		values, reference []float64
		want              Comparison
	}{
		"none": {nil, nil, Comparison{P: 1}},
		"one":  {[]float64{3}, []float64{2}, Comparison{N: 1, Ratio: 1.5, P: 1}},
		"the same": {[]float64{3, 4}, []float64{3, 4}, Comparison{
			N: 2, Ratio: 1, Interval95: Interval{1, 1}, Interval90: Interval{1, 1}, P: 1,
		}},
		"always twice": {[]float64{2, 4, 8}, []float64{1, 2, 4},
			Comparison{N: 3, Ratio: 2, Interval95: Interval{2, 2}, Interval90: Interval{2, 2}}},
		"sleep": {exponentials(sleep1), exponentials(sleep2), Comparison{
			N: 10, Ratio: math.Exp(-1.58), Interval95: Interval{math.Exp(-2.4598858), math.Exp(-0.7001142)},
			Interval90: Interval{math.Exp(-2.2930053), math.Exp(-0.8669947)}, P: 0.002833,
		}},
	}
	for name, tt := range tests {
		got, err := Compare(tt.values, tt.reference, StoppingRule{Min: 10, Max: 10, TargetRelativeError: 0.025})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(tt.want, got, cmpopts.EquateApprox(1e-6, 2e-7)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestCompareRefuses(t *testing.T) {
	tests := map[string]struct {
		values, reference []float64
		want              error
	}{
		"other blocks":    {[]float64{1, 2}, []float64{1}, ErrBlocks},
		"value of 0":      {[]float64{0}, []float64{1}, ErrNotPositive},
		"reference of 0":  {[]float64{1}, []float64{0}, ErrNotPositive},
		"no number in it": {[]float64{math.NaN()}, []float64{1}, ErrNotPositive},
	}
	for name, tt := range tests {
		if _, err := Compare(tt.values, tt.reference, StoppingRule{}); !errors.Is(err, tt.want) {
			t.Errorf("%s: got %v, want %v", name, err, tt.want)
		}
	}
}

// TestCompareProperties holds for any values: the inverse comparison is the reciprocal one, a block's own speed cancels
// out, and the 95% interval leaves out 1 exactly if p is below 0.05, with the stopping rule too.
func TestCompareProperties(t *testing.T) {
	rule := StoppingRule{Min: 6, Max: 15, TargetRelativeError: 0.025}
	rng := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		values, reference, scaledValues, scaledReference := make([]float64, 8), make([]float64, 8), make([]float64, 8),
			make([]float64, 8)
		for i := range values {
			values[i], reference[i] = math.Exp(0.02+0.03*rng.NormFloat64()), math.Exp(0.03*rng.NormFloat64())
			block := math.Exp(rng.NormFloat64())
			scaledValues[i], scaledReference[i] = values[i]*block, reference[i]*block
		}
		c, err1 := Compare(values, reference, rule)
		inverse, err2 := Compare(reference, values, rule)
		scaled, err3 := Compare(scaledValues, scaledReference, rule)
		if err := errors.Join(err1, err2, err3); err != nil {
			t.Fatal(err)
		}
		want := Comparison{
			N: 8, Ratio: 1 / c.Ratio, P: c.P,
			Interval95: Interval{1 / c.Interval95.High, 1 / c.Interval95.Low},
			Interval90: Interval{1 / c.Interval90.High, 1 / c.Interval90.Low},
		}
		if diff := cmp.Diff(want, inverse, cmpopts.EquateApprox(1e-9, 0)); diff != "" {
			t.Fatalf("inverse (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(c, scaled, cmpopts.EquateApprox(1e-9, 0)); diff != "" {
			t.Fatalf("scaled (-want +got):\n%s", diff)
		}
		if excludes1 := c.Interval95.Low > 1 || c.Interval95.High < 1; excludes1 != (c.P < 0.05) {
			t.Fatalf("the interval and p disagree: %+v", c)
		}
	}
}
