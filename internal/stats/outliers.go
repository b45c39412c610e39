// SPDX-License-Identifier: Apache-2.0

package stats

import "math"

// Outliers are the indices of values whose modified z-score, 0.6745 (x - median) / MAD, is beyond 3.5 on either side.
// MAD is the median of the absolute distances from the median. They are to be shown, never dropped: a slow repetition
// may be the finding. There are none where MAD is 0, since half the values are equal and give no scale. Source: B.
// Iglewicz and D. C. Hoaglin, How to Detect and Handle Outliers, ASQC 1993.
func Outliers(values []float64) []int {
	median := Median(values)
	distances := make([]float64, len(values))
	for i, v := range values {
		distances[i] = math.Abs(v - median)
	}
	deviation := Median(distances)
	var outliers []int
	for i, d := range distances {
		if deviation > 0 && 0.6745*d/deviation > 3.5 {
			outliers = append(outliers, i)
		}
	}
	return outliers
}
