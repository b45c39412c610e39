// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
)

// outcome decides the outcome of a run whose Job has ended, or is gone after the runner's final report. The runner's
// report decides, if there is one; otherwise the Job's conditions and its pod's termination message do.
func (n *nodeRun) outcome(req request) decision {
	jobFailed := false
	var end batchv1.JobCondition
	if n.job != nil {
		end, _ = jobEnd(n.job)
		jobFailed = end.Type == batchv1.JobFailed
	}
	switch state := n.reported(); {
	case state == result.StateComplete:
		return n.completeOutcome()
	case state == result.StateFailed && (!jobFailed || !n.interrupted()):
		return n.failedOutcome()
	case state == result.StateSuspended && !jobFailed:
		return n.suspendedOutcome(req)
	case end.Reason == batchv1.JobReasonDeadlineExceeded:
		return failed(v1alpha1.ReasonTimedOut,
			"The runner did not end within its timeout of %s, nor within the hour after it.", n.run.Plan.Timeout())
	}
	return failed(v1alpha1.ReasonRunnerFailed, "The runner ended without a report.%s",
		endMessages(end, podsOf(n.job, n.pods)))
}

// completeOutcome compares the report with the results: there must be one for every trial, or, for a dry run, a
// preflight that passed.
func (n *nodeRun) completeOutcome() decision {
	if n.run.Plan.DryRun {
		return n.dryRunOutcome()
	}
	if missing := n.planned() - n.results; missing > 0 {
		return failed(v1alpha1.ReasonResultsUnreadable,
			"The runner reports that all %d trials are done, but %d of them have no result.",
			n.planned(), missing)
	}
	if n.failures > 0 {
		return failed(v1alpha1.ReasonWorkloadFailed,
			"The runner reports that all %d trials are complete, but by their results %d of them failed.",
			n.planned(), n.failures)
	}
	return decision{state: nodeComplete, message: fmt.Sprintf("All %d trials are done.", n.planned())}
}

func (n *nodeRun) dryRunOutcome() decision {
	found := n.preflight()
	if found == nil || !found.Passed {
		return failed(v1alpha1.ReasonResultsUnreadable,
			"The runner reports that the dry run is done, but it reports no preflight that passed.")
	}
	return decision{state: nodeComplete, message: "The preflight passed; nothing was written to any device." +
		summarizeWarnings(found)}
}

// summarizeWarnings counts a preflight's warnings and quotes the first one; empty if there are none.
func summarizeWarnings(found *result.Preflight) string {
	warnings := found.ChecksThat(result.OutcomeWarning)
	switch len(warnings) {
	case 0:
		return ""
	case 1:
		return " One warning: " + warnings[0].Message
	}
	return fmt.Sprintf(" %d warnings, the first: %s", len(warnings), warnings[0].Message)
}

func (n *nodeRun) failedOutcome() decision {
	f := n.progress.Failure
	return failed(clampReason(f.Reason), "%s", f.Message)
}

// suspendedOutcome removes the Job of a runner that stopped between two trials. A new Job continues, now or when the
// benchmark is resumed. If nobody requested the suspension, the run fails: otherwise it would stop and start for ever.
func (n *nodeRun) suspendedOutcome(req request) decision {
	switch {
	case req.suspend:
		return decision{state: nodeSuspended, do: doDeleteJob,
			message: "Suspended between two trials; set spec.suspend to false to continue."}
	case n.suspendRequest() == "":
		return failed(v1alpha1.ReasonRunnerFailed, "The runner reports that it was suspended, but nobody requested that.")
	}
	return running(doDeleteJob, "The runner stopped between two trials and is started again.")
}

// endMessages are the messages of a Job and its last pod about why they ended.
func endMessages(end batchv1.JobCondition, pods []*corev1.Pod) string {
	text := ""
	if end.Message != "" {
		text = fmt.Sprintf(" Its Job says: %s.", trimStop(end.Message))
	}
	if words := terminationMessage(newest(pods)); words != "" {
		text += fmt.Sprintf(" Its pod's last message: %s", words)
	}
	return text
}
