// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"math"
	"testing"
)

func TestRelativeError(t *testing.T) {
	tests := map[string]struct {
		interval Interval
		want     float64
	}{
		"unknown":        {Interval{}, math.Inf(1)},
		"a point":        {Interval{5, 5}, 0},
		"around 1":       {Interval{1 / 1.025, 1.025}, 0.025},
		"in other units": {Interval{300 / 1.1, 300 * 1.1}, 0.1},
	}
	for name, tt := range tests {
		if got := tt.interval.RelativeError(); got != tt.want && !closeTo(got, tt.want, 1e-12) {
			t.Errorf("%s: got %v, want %v", name, got, tt.want)
		}
	}
}
