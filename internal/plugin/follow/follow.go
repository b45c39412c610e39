// SPDX-License-Identifier: Apache-2.0

package follow

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/text/human"
)

// Outcome is how a benchmark ended.
type Outcome int

// The outcomes of a benchmark.
const (
	// Unfinished means that the benchmark waits or runs.
	Unfinished Outcome = iota
	// Complete means that every trial has a result, and that all thresholds are met if there are any.
	Complete
	// NotMet means that it is complete, but that a threshold is not met.
	NotMet
	// Failed means that it ended without all of its results.
	Failed
	// Refused means that the operator rejected the spec.
	Refused
)

// OutcomeOf is the outcome that the conditions state.
func OutcomeOf(b *v1alpha1.ZfsBenchmark) Outcome {
	failed := condition(b, v1alpha1.ConditionFailed)
	met := condition(b, v1alpha1.ConditionThresholdsMet)
	switch {
	case !isTrue(condition(b, v1alpha1.ConditionFinished)):
		return Unfinished
	case isTrue(failed) && failed.Reason == v1alpha1.ReasonInvalidSpec:
		return Refused
	case isTrue(failed):
		return Failed
	case met != nil && !isTrue(met):
		return NotMet
	}
	return Complete
}

// Line says in one line what a benchmark is doing. It changes with the state and with each trial, not with the progress
// within a trial.
func Line(b *v1alpha1.ZfsBenchmark) string {
	accepted, running := condition(b, v1alpha1.ConditionAccepted), condition(b, v1alpha1.ConditionRunning)
	switch {
	case OutcomeOf(b) != Unfinished:
		return ended(b)
	case !b.DeletionTimestamp.IsZero():
		return "Deleting: the operator removes what the benchmark left on its nodes."
	case accepted == nil:
		return "Waiting: the operator has not looked at the benchmark yet."
	case !isTrue(accepted):
		return fmt.Sprintf("Waiting (%s): %s", accepted.Reason, accepted.Message)
	case running == nil:
		return "Accepted: " + accepted.Message
	case running.Reason == v1alpha1.ReasonRunning && b.Status.Progress != nil:
		return "Running: " + trials(*b.Status.Progress)
	}
	return running.Reason + ": " + running.Message
}

// ended says how a finished benchmark ended, with the verdicts on its results.
func ended(b *v1alpha1.ZfsBenchmark) string {
	text := "Finished."
	for _, kind := range []string{v1alpha1.ConditionComplete, v1alpha1.ConditionFailed} {
		if c := condition(b, kind); isTrue(c) {
			text = fmt.Sprintf("%s (%s): %s", kind, c.Reason, c.Message)
		}
	}
	for _, kind := range []string{v1alpha1.ConditionConverged, v1alpha1.ConditionThresholdsMet} {
		if c := condition(b, kind); c != nil {
			text += fmt.Sprintf(" %s=%s: %s", kind, c.Status, c.Message)
		}
	}
	return text
}

// trials counts the trials of all nodes.
func trials(p v1alpha1.Progress) string {
	t := p.Trials
	text := fmt.Sprintf("%d of %s done", t.Completed+t.Failed, human.Plural(int(t.Total), "trial"))
	if t.Failed > 0 {
		text += fmt.Sprintf(" (%d failed)", t.Failed)
	}
	if p.CurrentVariant != "" {
		text += fmt.Sprintf("; variant %s, repetition %d", p.CurrentVariant, p.CurrentRepetition)
	}
	return text
}

func condition(b *v1alpha1.ZfsBenchmark, kind string) *metav1.Condition {
	return meta.FindStatusCondition(b.Status.Conditions, kind)
}

func isTrue(c *metav1.Condition) bool { return c != nil && c.Status == metav1.ConditionTrue }
