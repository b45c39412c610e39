// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"math"
	"testing"
)

// of is an estimate of n blocks whose uncalibrated 95% interval reaches widths targets of 2.5% far.
func of(n int, widths float64) estimate {
	e := estimate{n: n, standardError: 1}
	e.standardError = widths * math.Log1p(0.025) / e.halfWidth(0.95)
	return e
}

func TestCalibrated(t *testing.T) {
	rule := StoppingRule{Min: 6, Max: 15, TargetRelativeError: 0.025}
	tests := map[string]struct {
		rule StoppingRule
		e    estimate
		want float64
	}{
		"just meets the target":           {rule, of(16, 0.9), 1.0675},
		"fewer blocks, more correction":   {rule, of(4, 0.9), 1.135},
		"a little wider than the target":  {rule, of(16, 1.1), 1.03375},
		"far narrower: never in doubt":    {rule, of(16, 0.5), 1},
		"far wider: always runs to Max":   {rule, of(16, 1.3), 1},
		"a fixed number of blocks":        {StoppingRule{Min: 15, Max: 15, TargetRelativeError: 0.025}, of(16, 0.9), 1},
		"no target, so a fixed number":    {StoppingRule{Min: 6, Max: 15}, of(16, 0.9), 1},
		"no scatter":                      {rule, estimate{n: 6}, 1},
		"one block has no interval as is": {rule, estimateOf([]float64{1}), 1},
	}
	for name, tt := range tests {
		got, want := tt.rule.calibrated(tt.e), tt.e
		want.standardError *= tt.want
		if got.n != want.n || got.mean != want.mean ||
			got.standardError != want.standardError && !closeTo(got.standardError, want.standardError, 1e-12) {
			t.Errorf("%s: got %+v, want %+v", name, got, want)
		}
	}
}

// TestCalibratedIsMonotonic keeps a series with more scatter from a narrower interval.
func TestCalibratedIsMonotonic(t *testing.T) {
	rule := StoppingRule{Min: 2, Max: 15, TargetRelativeError: 0.025}
	for _, n := range []int{2, 6, 15} {
		last := 0.0
		for widths := 0.1; widths < 2; widths += 0.01 {
			now := rule.calibrated(of(n, widths)).standardError
			if now <= last {
				t.Fatalf("n %d: at %.2f targets %v after %v", n, widths, now, last)
			}
			last = now
		}
	}
}
