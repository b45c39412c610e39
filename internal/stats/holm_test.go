// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestHolm(t *testing.T) {
	tests := map[string]struct {
		p, want []float64
	}{
		"none": {nil, []float64{}},
		"one":  {[]float64{0.03}, []float64{0.03}},
		"documented for stdlib's padjust(p, 'holm'), which follows R's p.adjust": {
			[]float64{0.319, 0.201, 0.4, 0.374, 0.113}, []float64{0.957, 0.804, 0.957, 0.957, 0.565},
		},
		"the first and the fourth are below 0.05 (Wikipedia, Holm-Bonferroni method, example)": {
			[]float64{0.01, 0.04, 0.03, 0.005}, []float64{0.03, 0.06, 0.06, 0.02},
		},
		"ties, and never above 1": {[]float64{0.5, 0.01, 0.5, 0.01}, []float64{1, 0.04, 1, 0.04}},
	}
	for name, tt := range tests {
		if diff := cmp.Diff(tt.want, Holm(tt.p), cmpopts.EquateApprox(1e-12, 0)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
