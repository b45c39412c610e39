// SPDX-License-Identifier: Apache-2.0

package result

import (
	"math"
	"strings"
	"testing"
)

// The examples are computed by hand: of 90, 95, 100, 105, 110 the line rises by 20 of 100; of 100, 110, 100, 110, 100
// it is level; of 100, 100, 100, 100, 130 it rises by 4 × 6 of 106.
func TestSteadyState(t *testing.T) {
	tests := map[string]struct {
		iops         []float64
		window       int
		spread, line float64
		reached      bool
	}{
		"the same":               {[]float64{100, 100, 100, 100, 100}, 5, 0, 0, true},
		"only the last count":    {[]float64{1, 900, 100, 100, 100}, 3, 0, 0, true},
		"too few":                {[]float64{100, 100, 100, 100}, 5, 0, 0, false},
		"up and down":            {[]float64{100, 110, 100, 110, 100}, 5, 10. / 104, 0, true},
		"up and down, too far":   {[]float64{100, 125, 100, 125, 100}, 5, 25. / 110, 0, false},
		"just as far as allowed": {[]float64{90, 110, 100, 110, 90}, 5, 0.2, 0, true},
		"rises within the range": {[]float64{90, 95, 100, 105, 110}, 5, 0.2, 0.2, false},
		"falls a little":         {[]float64{104, 102, 100, 98, 96}, 5, 0.08, 0.08, true},
		"one is faster":          {[]float64{100, 100, 100, 100, 130}, 5, 30. / 106, 24. / 106, false},
		"nothing moves":          {[]float64{0, 0, 0}, 3, 0, 0, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := SteadyStateOf(tt.iops, tt.window)
			if math.Abs(got.Range-tt.spread) > 1e-12 || math.Abs(got.Slope-tt.line) > 1e-12 || got.Reached != tt.reached {
				t.Errorf("range %v, slope %v, reached %t; want %v, %v, %t", got.Range, got.Slope, got.Reached, tt.spread, tt.line,
					tt.reached)
			}
			if err := got.check(); err != nil {
				t.Error(err)
			}
		})
	}
}

// What a runner says of steadiness has to follow from its rounds.
func TestSteadyStateIsChecked(t *testing.T) {
	tests := map[string]struct {
		change func(*SteadyState)
		want   string
	}{
		"not reached": {func(s *SteadyState) { s.Reached = false }, "reached is false"},
		"a range":     {func(s *SteadyState) { s.Range = 0.3 }, "do not follow from its rounds"},
		"a slope":     {func(s *SteadyState) { s.Slope = 0.01 }, "do not follow from its rounds"},
		"no rounds":   {func(s *SteadyState) { s.IOPS = nil }, "0 rounds"},
		"no window":   {func(s *SteadyState) { s.Window = 0 }, "with a window of 0"},
		"too many":    {func(s *SteadyState) { s.IOPS = make([]float64, MaxRounds+1) }, "101 rounds"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := SteadyStateOf([]float64{100, 100, 100}, 3)
			tt.change(&s)
			if err := s.check(); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("check = %v, want %q", err, tt.want)
			}
		})
	}
}
