// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/analysis/threshold"
)

// setThresholdsMet sets ThresholdsMet of a finished benchmark: to the verdict of its report, or to False if there was
// nothing to report.
func (s *scope) setThresholdsMet() {
	if len(s.benchmark.Spec.Thresholds) == 0 || !isTrue(s.status(), v1alpha1.ConditionFinished) {
		return
	}
	verdict := s.reading.thresholds
	if verdict == nil {
		v := s.unreported()
		verdict = &v
	}
	s.setCondition(v1alpha1.ConditionThresholdsMet, verdict.Met, verdict.Reason, sentence(verdict.Message))
}

// unreported is the verdict without a report: nothing was measured, or no report can be made of it.
func (s *scope) unreported() threshold.Verdict {
	judgements, err := threshold.Judge(threshold.Input{Thresholds: s.benchmark.Spec.Thresholds})
	if err != nil {
		return threshold.Verdict{Reason: v1alpha1.ReasonNotJudged,
			Message: fmt.Sprintf("The thresholds cannot be evaluated: %v.", err)}
	}
	return threshold.VerdictOf(judgements, isTrue(s.status(), v1alpha1.ConditionFailed), "spec.thresholds")
}
