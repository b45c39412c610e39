// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOutliers(t *testing.T) {
	tests := map[string]struct {
		values []float64
		want   []int
	}{
		"none":  {nil, nil},
		"one":   {[]float64{5}, nil},
		"equal": {[]float64{5, 5, 5, 5}, nil},
		// Their modified z-scores are 25.9 and 26.3, while no ordinary z-score reaches 2.
		"Iglewicz and Hoaglin's example": {[]float64{2.1, 2.6, 2.4, 2.5, 2.3, 2.1, 2.3, 2.6, 8.2, 8.3}, []int{8, 9}},
		// The median is 10, MAD is 1: 0.6745*5.1 is 3.44, 0.6745*5.2 is 3.51.
		"both sides of the limit": {[]float64{9, 10, 11, 9, 10, 11, 10, 15.1, 15.2, 4.9, 4.8, 9, 11}, []int{8, 10}},
		"half are equal":          {[]float64{7, 7, 7, 7, 9, 1000}, nil},
	}
	for name, tt := range tests {
		if diff := cmp.Diff(tt.want, Outliers(tt.values)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
