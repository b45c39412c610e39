// SPDX-License-Identifier: Apache-2.0

package stats

import "math"

// Interval holds the true value with a stated confidence. It is in the unit of the values, or of their ratio. The zero
// Interval is an unknown one: there were too few values.
type Interval struct {
	Low, High float64
}

// RelativeError is how far High is above the middle on the logarithmic scale, as a fraction of the middle: 0.025 for an
// interval from 1/1.025 to 1.025. It is infinite for the unknown interval.
func (i Interval) RelativeError() float64 {
	if i == (Interval{}) {
		return math.Inf(1)
	}
	return math.Sqrt(i.High/i.Low) - 1
}

// within says whether the whole interval lies between 1/(1+margin) and 1+margin. The unknown interval does not.
func (i Interval) within(margin float64) bool {
	return i.Low >= 1/(1+margin) && i.High <= 1+margin
}
