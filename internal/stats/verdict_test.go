// SPDX-License-Identifier: Apache-2.0

package stats

import "testing"

func TestJudge(t *testing.T) {
	narrow, wide := 0.01, 0.2
	tests := map[string]struct {
		ratio, width, holmP float64
		goal                Goal
		want                Verdict
	}{
		"more bandwidth":                   {1.05, narrow, 0.001, Maximize, Better},
		"less bandwidth":                   {0.95, narrow, 0.001, Maximize, Worse},
		"more latency":                     {1.05, narrow, 0.001, Minimize, Worse},
		"less latency":                     {0.95, narrow, 0.001, Minimize, Better},
		"chance after Holm":                {1.05, narrow, 0.05, Maximize, Inconclusive},
		"just within the margin, too wide": {1.025, narrow, 0.001, Maximize, Inconclusive},
		"no less than 1/1.03":              {1 / 1.029, narrow, 0.001, Maximize, Inconclusive},
		"less than 1/1.03":                 {1 / 1.031, narrow, 0.001, Maximize, Worse},
		"certain, but too small to count":  {1.015, narrow, 0.001, Maximize, Equivalent},
		"the same":                         {1, narrow, 1, Minimize, Equivalent},
		"the same, but not known well":     {1, wide, 1, Minimize, Inconclusive},
	}
	for name, tt := range tests {
		c := Comparison{N: 6, Ratio: tt.ratio, Interval90: Interval{tt.ratio / (1 + tt.width), tt.ratio * (1 + tt.width)}}
		if got := Judge(c, tt.holmP, 0.03, tt.goal); got != tt.want {
			t.Errorf("%s: got %s, want %s", name, got, tt.want)
		}
	}
	if got := Judge(Comparison{P: 1}, 1, 0.03, Maximize); got != Inconclusive {
		t.Errorf("no blocks: got %s", got)
	}
}
