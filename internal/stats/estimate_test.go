// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"errors"
	"math"
	"testing"
)

// closeTo says whether a and b differ by at most tolerance.
func closeTo(a, b, tolerance float64) bool { return math.Abs(a-b) <= tolerance }

// TestHalfWidth compares with the NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.5.2 (ZARR13.DAT): 195 values
// with mean 9.261460 and standard deviation 0.022789 have the 95% interval 9.258242 to 9.264679; and with the 97.5%
// quantiles of Student's t in its table 1.3.6.7.2.
func TestHalfWidth(t *testing.T) {
	tests := map[string]struct {
		e               estimate
		want, tolerance float64
	}{
		"ZARR13":               {estimate{n: 195, standardError: 0.022789 / math.Sqrt(195)}, (9.264679 - 9.258242) / 2, 1e-6},
		"5 degrees of freedom": {estimate{n: 6, standardError: 1}, 2.571, 5e-4},
		"14":                   {estimate{n: 15, standardError: 1}, 2.145, 5e-4},
		"1":                    {estimate{n: 2, standardError: 1}, 12.706, 5e-4},
		"no scatter":           {estimate{n: 2}, 0, 0},
	}
	for name, tt := range tests {
		if got := tt.e.halfWidth(0.95); !closeTo(got, tt.want, tt.tolerance) {
			t.Errorf("%s: got %v, want %v", name, got, tt.want)
		}
	}
	if got := estimateOf([]float64{1}).halfWidth(0.95); !math.IsInf(got, 1) {
		t.Errorf("one value: got %v, want infinity", got)
	}
}

func TestP(t *testing.T) {
	tests := map[string]struct {
		logs []float64
		want float64
	}{
		"none":                   {nil, 1},
		"one":                    {[]float64{3}, 1},
		"no scatter at 0":        {[]float64{0, 0, 0}, 1},
		"scatter around 0":       {[]float64{-1, 1}, 1},
		"no scatter, not at 0":   {[]float64{0.5, 0.5, 0.5}, 0},
		"1 standard error, df 1": {[]float64{0, 1}, 0.5},
	}
	for name, tt := range tests {
		if got := estimateOf(tt.logs).p(); !closeTo(got, tt.want, 1e-12) {
			t.Errorf("%s: got %v, want %v", name, got, tt.want)
		}
	}
}

func TestLogarithms(t *testing.T) {
	for _, v := range []float64{0, -1, math.NaN(), math.Inf(1), math.Inf(-1)} {
		if _, err := logarithms([]float64{1, v}); !errors.Is(err, ErrNotPositive) {
			t.Errorf("%v: got %v, want ErrNotPositive", v, err)
		}
	}
	got, err := logarithms([]float64{1, math.E})
	if err != nil || got[0] != 0 || got[1] != 1 {
		t.Errorf("got %v, %v", got, err)
	}
}
