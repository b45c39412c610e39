// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"regexp"
	"strconv"
)

// RelativeSize is a size that depends on the node and the variant: 4xRAM, 1.5xARC or 50%Pool.
//
// +kubebuilder:validation:MaxLength=12
// +kubebuilder:validation:XValidation:rule=`self.matches('^([1-9][0-9]?([.][0-9])?|0[.][1-9])x(RAM|ARC)$') || self.matches('^[1-9][0-9]?%Pool$')`,message="relativeSize must be a number of times the memory or the ARC, up to 99.9, or a percentage of the pool, for example 4xRAM, 1.5xARC or 50%Pool"
type RelativeSize string

// What a relative size is relative to.
const (
	RelativeToRAM  = "RAM"
	RelativeToARC  = "ARC"
	RelativeToPool = "Pool"
)

var relativeSize = regexp.MustCompile(`^(?:([1-9][0-9]?(?:[.][0-9])?|0[.][1-9])x(RAM|ARC)|([1-9][0-9]?)%(Pool))$`)

// Parts are the factor and what it is relative to; false if the text is not a relative size.
func (s RelativeSize) Parts() (factor float64, of string, ok bool) {
	found := relativeSize.FindStringSubmatch(string(s))
	if found == nil {
		return 0, "", false
	}
	if found[4] != "" {
		percent, err := strconv.ParseFloat(found[3], 64)
		return percent / 100, found[4], err == nil
	}
	factor, err := strconv.ParseFloat(found[1], 64)
	return factor, found[2], err == nil
}
