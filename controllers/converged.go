// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"strings"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/text/human"
)

// setConverged sets Converged of a complete benchmark whose repetitions depend on its results.
func (s *scope) setConverged() {
	var converged, not []string
	for _, n := range s.runs {
		if n.run == nil || n.run.Plan.Stopping == nil || n.run.Plan.DryRun {
			continue
		}
		target := human.Percent(n.run.Plan.Stopping.TargetRelativeError)
		if n.end.Converged {
			converged = append(converged, fmt.Sprintf(
				"%sEvery result is known to within %s, by its 95%% interval, after %d of at most %d repetitions.",
				s.prefix(n.name), target, n.end.Repetitions, n.run.Plan.Repetitions()))
		} else {
			not = append(not, fmt.Sprintf(
				"%sSome results are not known to within %s, by their 95%% intervals, after all %d repetitions: something else "+
					"disturbs the node, or the workload itself varies between trials.",
				s.prefix(n.name), target, n.end.Repetitions))
		}
	}
	switch {
	case len(not) > 0:
		s.setCondition(v1alpha1.ConditionConverged, false, v1alpha1.ReasonNotConverged, sentence(strings.Join(not, " ")))
	case len(converged) > 0:
		s.setCondition(v1alpha1.ConditionConverged, true, v1alpha1.ReasonConverged, sentence(strings.Join(converged, " ")))
	}
}
