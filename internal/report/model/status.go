// SPDX-License-Identifier: Apache-2.0

package model

import (
	"fmt"

	"zfsbench.io/operator/internal/text/human"
)

// Times formats a ratio with three decimals, or with three digits if those would be zeros.
func Times(ratio float64) string {
	if ratio < 0.1 {
		return human.Digits(ratio)
	}
	return fmt.Sprintf("%.3f", ratio)
}

// Text is an interval of a ratio, for example "1.201 to 1.287"; empty for an unknown one.
func (i *Interval) Text() string {
	if i == nil {
		return ""
	}
	return Times(i.Low) + " to " + Times(i.High)
}
