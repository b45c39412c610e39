// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"errors"
	"testing"
)

func TestDecide(t *testing.T) {
	rule := StoppingRule{Min: 4, Max: 6, TargetRelativeError: 0.025}
	quiet := []float64{100, 101, 100, 101, 100, 101}
	noisy := []float64{100, 150, 100, 150, 100, 150}
	tests := map[string]struct {
		rule StoppingRule
		all  []Series
		want Decision
	}{
		"before the minimum":    {rule, []Series{{Values: quiet[:3]}}, Decision{Converged: true}},
		"narrow at the minimum": {rule, []Series{{Values: quiet[:4]}}, Decision{Stop: true, Converged: true}},
		"wide":                  {rule, []Series{{Values: noisy[:5]}}, Decision{}},
		"one of two is wide":    {rule, []Series{{Values: quiet[:5]}, {Values: noisy[:5]}}, Decision{}},
		"wide at the maximum":   {rule, []Series{{Values: noisy}}, Decision{Stop: true}},
		"narrow at the maximum": {rule, []Series{{Values: quiet}}, Decision{Stop: true, Converged: true}},
		"blocks differ, the ratio does not": {rule, []Series{{Values: noisy[:4], Reference: noisy[:4]}},
			Decision{Stop: true, Converged: true}},
		"the reference scatters": {rule, []Series{{Values: quiet[:4], Reference: noisy[:4]}}, Decision{}},
		"significant, but wide": {rule, []Series{{Values: noisy[:4], Reference: []float64{1, 1, 1, 1}}},
			Decision{}},
		"one block": {StoppingRule{Min: 1, Max: 6, TargetRelativeError: 1},
			[]Series{{Values: quiet[:1]}}, Decision{}},
		"no block": {rule, []Series{{}}, Decision{}},
		"a fixed number is not stopped before": {StoppingRule{Min: 6, Max: 6, TargetRelativeError: 1},
			[]Series{{Values: quiet[:5]}}, Decision{Converged: true}},
	}
	for name, tt := range tests {
		got, err := tt.rule.Decide(tt.all)
		if err != nil || got != tt.want {
			t.Errorf("%s: got %+v, %v, want %+v", name, got, err, tt.want)
		}
	}
}

func TestDecideRefuses(t *testing.T) {
	tests := map[string]struct {
		all  []Series
		want error
	}{
		"no series":                     {nil, ErrBlocks},
		"an incomplete block":           {[]Series{{Values: []float64{1, 2}}, {Values: []float64{1}}}, ErrBlocks},
		"a block without a reference":   {[]Series{{Values: []float64{1, 2}, Reference: []float64{1}}}, ErrBlocks},
		"a value without a logarithm":   {[]Series{{Values: []float64{0}}}, ErrNotPositive},
		"a reference without logarithm": {[]Series{{Values: []float64{1}, Reference: []float64{-1}}}, ErrNotPositive},
	}
	for name, tt := range tests {
		if _, err := (StoppingRule{Min: 1, Max: 2}).Decide(tt.all); !errors.Is(err, tt.want) {
			t.Errorf("%s: got %v, want %v", name, err, tt.want)
		}
	}
}
