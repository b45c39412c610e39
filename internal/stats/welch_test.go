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

// TestCompareUnpaired compares with R's documented t.test(extra ~ group, data = sleep): t = -1.8608, df = 17.776,
// p-value = 0.07939, 95 percent confidence interval -3.3654832 0.2054832. The 90% interval is -1.58 +- 1.7353 *
// 1.58/1.8608, the quantile between 17 and 18 degrees of freedom in table 1.3.6.7.2 of the NIST/SEMATECH e-Handbook.
func TestCompareUnpaired(t *testing.T) {
	tests := map[string]struct {
		values, others []float64
		want           Comparison
	}{
		"none":     {nil, []float64{1, 2}, Comparison{P: 1}},
		"no other": {[]float64{1, 2}, nil, Comparison{P: 1}},
		"one":      {[]float64{3}, []float64{2, 2, 2}, Comparison{N: 1, Ratio: 1.5, P: 1}},
		"the same": {[]float64{3, 3}, []float64{3, 3, 3},
			Comparison{N: 2, Ratio: 1, Interval95: Interval{1, 1}, Interval90: Interval{1, 1}, P: 1}},
		"always twice": {[]float64{4, 4}, []float64{2, 2, 2}, Comparison{
			N: 2, Ratio: 2, Interval95: Interval{2, 2}, Interval90: Interval{2, 2},
		}},
		"sleep": {exponentials(sleep1), exponentials(sleep2), Comparison{
			N: 10, Ratio: math.Exp(-1.58), Interval95: Interval{math.Exp(-3.3654832), math.Exp(0.2054832)},
			Interval90: Interval{math.Exp(-3.05344), math.Exp(-0.10656)}, P: 0.07939,
		}},
	}
	for name, tt := range tests {
		got, err := CompareUnpaired(Sample{Values: tt.values}, Sample{Values: tt.others})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(tt.want, got, cmpopts.EquateApprox(1e-4, 5e-6)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	for _, bad := range [][2][]float64{{{0}, {1}}, {{1}, {math.NaN()}}} {
		if _, err := CompareUnpaired(Sample{Values: bad[0]}, Sample{Values: bad[1]}); !errors.Is(err, ErrNotPositive) {
			t.Errorf("%v: got %v, want ErrNotPositive", bad, err)
		}
	}
}

// TestUnpairedCoverage simulates pairs of benchmarks: with fixed numbers the interval of the ratio holds the true one
// in 95%, where both ended by their own scatter in a little less: docs/statistics.md.
func TestUnpairedCoverage(t *testing.T) {
	tests := map[string]struct {
		cv, otherCV float64
		n, other    int
		rule        StoppingRule
		least       float64
	}{
		"fixed, unlike":              {cv: 0.01, otherCV: 0.05, n: 12, other: 6, least: 0.94},
		"fixed, alike":               {cv: 0.03, otherCV: 0.03, n: 6, other: 6, least: 0.94},
		"ended by themselves, CV 4%": {cv: 0.04, otherCV: 0.04, rule: defaultRule, least: 0.92},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			const simulated = 2000
			rng, held := rand.New(rand.NewPCG(11, 12)), 0
			for range simulated {
				one, two := Sample{Rule: tt.rule}, Sample{Rule: tt.rule}
				one.Values, two.Values = lognormal(rng, tt.cv, tt.n), lognormal(rng, tt.otherCV, tt.other)
				if tt.rule.Max > 0 {
					one.Values = world{rule: tt.rule, cv: tt.cv}.run(t, rng)[0].Values
					two.Values = world{rule: tt.rule, cv: tt.otherCV}.run(t, rng)[0].Values
				}
				c, err := CompareUnpaired(one, two)
				if err != nil {
					t.Fatal(err)
				}
				if c.Interval95.holds(1) {
					held++
				}
			}
			if got := float64(held) / simulated; got < tt.least || got > 0.965 {
				t.Errorf("the 95%% interval holds the true ratio in %.1f%%", 100*got)
			}
		})
	}
}

func lognormal(rng *rand.Rand, cv float64, n int) []float64 {
	values := make([]float64, n)
	for i := range values {
		values[i] = math.Exp(cv * rng.NormFloat64())
	}
	return values
}
