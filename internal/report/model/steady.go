// SPDX-License-Identifier: Apache-2.0

package model

import (
	"zfsbench.io/operator/internal/stats"
)

// Steady counts the trials in which a workload became steady, if it is repeated until it is.
type Steady struct {
	Reached int `json:"reached"`
	Trials  int `json:"trials"`
	// Rounds is the median of how many rounds there were.
	Rounds float64 `json:"rounds"`
}

// steadyOf is nil for a workload that is not repeated.
func steadyOf(group []observation) *Steady {
	var s Steady
	var rounds []float64
	for _, o := range group {
		if o.sample.Steady == nil {
			continue
		}
		rounds = append(rounds, float64(len(o.sample.Steady.IOPS)))
		if s.Trials++; o.sample.Steady.Reached {
			s.Reached++
		}
	}
	if s.Trials == 0 {
		return nil
	}
	s.Rounds = stats.Median(rounds)
	return &s
}
