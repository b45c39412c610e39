// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"errors"
	"fmt"
)

// StoppingRule says after how many complete blocks a benchmark ends: not before Min, not after Max, and in between as
// soon as the 95% interval of every series has at most the relative error TargetRelativeError (0.025 for 2.5%). The
// zero StoppingRule stands for a number of blocks that did not depend on the values.
type StoppingRule struct {
	Min, Max            int
	TargetRelativeError float64
}

// Series is one metric of one variant, one value for each complete block in the order they ran, and in Reference the
// reference variant's of the same blocks. Reference is nil without a reference variant.
type Series struct {
	Values, Reference []float64
}

// Decision is what follows from the blocks so far. Converged says whether the interval of every series is narrow
// enough; a benchmark that stops without it has run all Max blocks and is still uncertain.
type Decision struct {
	Stop, Converged bool
}

// ErrBlocks is returned for values that do not come from the same blocks, or from none.
var ErrBlocks = errors.New("not of the same blocks")

// Decide looks at the widths of the intervals only, never at a p value: to stop once a difference is significant would
// find differences where there are none. The intervals are those that Compare and Summarize report. It returns
// ErrBlocks or ErrNotPositive, wrapped.
func (r StoppingRule) Decide(all []Series) (Decision, error) {
	if len(all) == 0 {
		return Decision{}, fmt.Errorf("no series to decide by: %w", ErrBlocks)
	}
	blocks, converged := len(all[0].Values), true
	for i, s := range all {
		if len(s.Values) != blocks {
			return Decision{}, fmt.Errorf("series %d has %d values, the first %d: %w", i, len(s.Values), blocks, ErrBlocks)
		}
		logs, err := s.logarithms()
		if err != nil {
			return Decision{}, fmt.Errorf("series %d: %w", i, err)
		}
		converged = converged && r.calibrated(estimateOf(logs)).interval(0.95).RelativeError() <= r.TargetRelativeError
	}
	return Decision{Stop: blocks >= r.Max || converged && blocks >= r.Min, Converged: converged}, nil
}

// logarithms are the logarithms of the ratios to the reference within each block, or of the values without a reference.
func (s Series) logarithms() ([]float64, error) {
	if s.Reference == nil {
		return logarithms(s.Values)
	}
	return logRatios(s.Values, s.Reference)
}
