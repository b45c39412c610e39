// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Percentage is more than 0% and less than 100%, for example 2.5%.
//
// +kubebuilder:validation:MaxLength=8
// +kubebuilder:validation:XValidation:rule=`self.matches('^[1-9]?[0-9]([.][0-9]{1,3})?%$') && !self.matches('^0([.]0+)?%$')`,message="must be more than 0% and less than 100%, for example 2.5%"
type Percentage string

var percentage = regexp.MustCompile(`^[1-9]?[0-9]([.][0-9]{1,3})?%$`)

// Fraction returns the percentage as a fraction: 0.025 for 2.5%. It fails on any other form, on 0% and on 100% and
// more.
func (p Percentage) Fraction() (float64, error) {
	if !percentage.MatchString(string(p)) {
		return 0, fmt.Errorf("parse percentage %q: not a number below 100 with a %% and at most three decimals", p)
	}
	n, err := strconv.ParseFloat(strings.TrimSuffix(string(p), "%")+"e-2", 64)
	if err != nil || n == 0 {
		return 0, fmt.Errorf("parse percentage %q: not more than 0%%", p)
	}
	return n, nil
}
