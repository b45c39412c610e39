// SPDX-License-Identifier: Apache-2.0

package model

import (
	"zfsbench.io/operator/internal/analysis/experiment"
	"zfsbench.io/operator/internal/stats"
)

// Confirmation compares a winner with its reference in repetitions that did not choose it. HolmP is corrected for all
// confirmations.
type Confirmation struct {
	RateComparison
	// SearchRatio is the ratio in the repetitions that chose the winner.
	SearchRatio float64 `json:"searchRatio"`
}

// Confirms says whether the winner is also better in these repetitions.
func (c Confirmation) Confirms() bool { return c.Verdict == stats.Better }

// confirmAll returns nothing until the repetitions that choose the winners have ended.
func confirmAll(nodes []NodeResults, margin float64) ([]Confirmation, error) {
	confirmed, err := experiment.Confirm(experiments(nodes), margin)
	if err != nil {
		return nil, err
	}
	var out []Confirmation
	for _, c := range confirmed {
		out = append(out, Confirmation{comparisonOf(c.MetricComparison), c.SearchRatio})
	}
	return out, nil
}
