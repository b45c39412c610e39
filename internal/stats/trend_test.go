// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

// The first series doubles at each step, exactly.
func TestTrendOf(t *testing.T) {
	tests := map[string]struct {
		values   []float64
		ratio    float64
		pAtMost  float64
		pAtLeast float64
	}{
		"a power":     {[]float64{1, 2, 4, 8, 16}, 16, 1e-9, 0},
		"falling":     {[]float64{100, 99, 97.5, 97, 95.8, 95.1}, 0.9497, 0.001, 0},
		"constant":    {[]float64{5, 5, 5, 5}, 1, 1, 1},
		"too few":     {[]float64{1, 2}, 1, 1, 1},
		"up and down": {[]float64{100, 110, 100, 110, 100, 110, 100}, 1, 1, 0.99},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := TrendOf(tt.values)
			if err != nil || math.Abs(got.Ratio-tt.ratio) > 0.001 || got.P > tt.pAtMost || got.P < tt.pAtLeast {
				t.Errorf("trend = %+v, %v; want ratio %v, p from %v to %v", got, err, tt.ratio, tt.pAtLeast, tt.pAtMost)
			}
		})
	}
	if _, err := TrendOf([]float64{1, 2, 0}); !errors.Is(err, ErrNotPositive) {
		t.Errorf("error = %v, want ErrNotPositive", err)
	}
}

// Where there is no trend, p is below 0.05 in one series of twenty.
func TestTrendOfNoise(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	const series = 4000
	found := 0
	for range series {
		values := make([]float64, 12)
		for i := range values {
			values[i] = math.Exp(0.02 * random.NormFloat64())
		}
		trend, err := TrendOf(values)
		if err != nil {
			t.Fatal(err)
		}
		if trend.P < 0.05 {
			found++
		}
	}
	// The standard deviation of the count is 14.
	if found < series/20-60 || found > series/20+60 {
		t.Errorf("%d of %d series without a trend have one, want about %d", found, series, series/20)
	}
}
