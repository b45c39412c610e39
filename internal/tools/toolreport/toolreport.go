// SPDX-License-Identifier: Apache-2.0

package toolreport

import (
	"fmt"
	"strconv"
)

// Tool is the name of a measuring tool in messages.
type Tool string

// MissingError says that a tool ended before it wrote its report. What else it printed may say why.
type MissingError struct{ Tool Tool }

func (e *MissingError) Error() string { return fmt.Sprintf("%s wrote no report", e.Tool) }

// FormatError says that a report cannot be read or contradicts itself.
type FormatError struct {
	Tool Tool
	Err  error
}

func (e *FormatError) Error() string { return fmt.Sprintf("%s report: %v", e.Tool, e.Err) }

// Unwrap returns the cause.
func (e *FormatError) Unwrap() error { return e.Err }

// Missing is a *MissingError.
func (t Tool) Missing() error { return &MissingError{Tool: t} }

// Malformed is a *FormatError.
func (t Tool) Malformed(err error) error { return &FormatError{Tool: t, Err: err} }

// Malformedf is Malformed with a formatted text.
func (t Tool) Malformedf(format string, a ...any) error { return t.Malformed(fmt.Errorf(format, a...)) }

// minRate and maxRate, in bytes or operations per second, are beyond anything real.
const minRate, maxRate = 1e-3, 1e15

// Rate parses a number of units per second and multiplies it by the size of the unit. It is false for text that is not
// a number, and for an unrealistic rate.
func Rate(text string, unit float64) (perSecond float64, ok bool) {
	rate, err := strconv.ParseFloat(text, 64)
	rate *= unit
	return rate, err == nil && rate >= minRate && rate <= maxRate // NaN is never in the range
}
