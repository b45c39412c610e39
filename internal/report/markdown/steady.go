// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"fmt"
	"slices"

	"zfsbench.io/operator/internal/report/model"
	"zfsbench.io/operator/internal/text/human"
)

// steadyColumns say in how many trials a workload was steady, if any workload is repeated until it is.
func steadyColumns(entries []model.Entry) []column {
	if !slices.ContainsFunc(entries, func(e model.Entry) bool { return e.Steady != nil }) {
		return nil
	}
	return []column{{"Steady", func(e model.Entry) string {
		if e.Steady == nil {
			return "-"
		}
		return fmt.Sprintf("%d of %d, %s rounds", e.Steady.Reached, e.Steady.Trials, human.Digits(e.Steady.Rounds))
	}, []string{"Steady: in how many trials the last rounds were alike enough, and the median number of rounds. Only " +
		"the last rounds are measured."}}}
}
