// SPDX-License-Identifier: Apache-2.0

package caveats

import (
	"fmt"

	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/text/human"
)

// notSteady finds workloads that were not as steady as requested when they were measured.
func notSteady(s subject) string {
	var not, all int
	var first *result.SteadyState
	for _, sample := range s.samples {
		if sample.Steady == nil {
			continue
		}
		all++
		if sample.Steady.Reached {
			continue
		}
		if not++; first == nil {
			first = sample.Steady
		}
	}
	if not == 0 {
		return ""
	}
	return fmt.Sprintf("In %d of %d trials it was not steady after %d rounds: the last %d were up to %s of their mean "+
		"apart (at most %s), with a trend of %s (at most %s). Allow more rounds, or longer ones.",
		not, all, len(first.IOPS), first.Window, human.Percent(first.Range), human.Percent(result.SteadyRange),
		human.Percent(first.Slope), human.Percent(result.SteadySlope))
}
