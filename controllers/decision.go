// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"time"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
)

// action is what one reconcile does on one node.
type action string

const (
	doNothing action = ""
	// doQueue waits for the node's lease, and takes it when it is the benchmark's turn.
	doQueue action = "queue"
	// doStart creates everything that the run needs, and then the Job.
	doStart action = "start"
	// doAskSuspend passes spec.suspend on to the runner.
	doAskSuspend action = "ask to suspend"
	// doDeleteJob deletes the run Job and its pod; the runner tears down on SIGTERM.
	doDeleteJob action = "delete the Job"
	// doCleanup starts the cleanup Job.
	doCleanup action = "clean up"
	// doDeleteCleanup deletes the cleanup Job, so that it can be made again.
	doDeleteCleanup action = "delete the cleanup Job"
	// doRelease releases the node's lease.
	doRelease action = "release"
	// doAbandon gives up the node, whatever is left there: it deletes Jobs and leases.
	doAbandon action = "abandon"
)

// decision is what this reconcile decides for a node: its state in status and one action.
type decision struct {
	state   string
	reason  string
	message string
	do      action
	// requeueAfter is when to reconcile again although nothing has changed; 0 means never.
	requeueAfter time.Duration
}

func failed(reason, format string, args ...any) decision {
	return decision{state: nodeFailed, reason: reason, message: sentence(fmt.Sprintf(format, args...))}
}

func running(do action, format string, args ...any) decision {
	return decision{state: nodeRunning, do: do, message: sentence(fmt.Sprintf(format, args...))}
}

// request is what the benchmark's owner requests now.
type request struct {
	suspend bool
	now     time.Time
}

// decide returns the next action on a node whose outcome is not known yet. It is a pure function.
func decide(n *nodeRun, req request) decision {
	if d, bad := n.failure(req.now); bad {
		return d
	}
	switch {
	case n.job == nil:
		return n.decideWithoutJob(req)
	case n.job.DeletionTimestamp != nil:
		return running(doNothing, "The runner's pod is ending.%s", n.outage())
	case ended(n.job) || n.overdue(req.now):
		return n.outcome(req)
	}
	return n.decideRunning(req)
}

// failure returns the decision that fails the run whatever its Job does, if there is a reason to.
func (n *nodeRun) failure(now time.Time) (decision, bool) {
	switch {
	case n.recordsError != nil:
		return failed(v1alpha1.ReasonResultsUnreadable, "The records of the run cannot be used: %v.", n.recordsError),
			true
	case !n.started():
		return decision{}, false
	case n.resultsError != nil:
		return failed(v1alpha1.ReasonResultsUnreadable, "A result cannot be used: %v.", n.resultsError), true
	case n.lost():
		return failed(v1alpha1.ReasonNodeLost,
			"The node was removed from the cluster, or replaced, while the benchmark ran there."), true
	case n.abandoned:
		return failed(v1alpha1.ReasonNodeLost, "The node was given up with the annotation %s.",
			v1alpha1.AnnotationAbandonNode), true
	case n.refusal != nil && n.refusal.revoked && !n.reportedEnd():
		return failed(n.refusal.revocation(), "The consent to run here was withdrawn: %s", n.refusal.message), true
	case n.job != nil && n.job.DeletionTimestamp == nil && !ended(n.job):
		if p := n.runProblem(now); p.fatal {
			return failed(v1alpha1.ReasonRunnerFailed, "The runner does not start: %s", p.message), true
		}
	}
	return decision{}, false
}

// reportedEnd means that the runner has reported its end, and only the Job's end is missing.
func (n *nodeRun) reportedEnd() bool {
	return n.reported() == result.StateComplete || n.reported() == result.StateFailed && (n.job == nil || ended(n.job))
}

// decideWithoutJob starts the run, continues it, or waits.
func (n *nodeRun) decideWithoutJob(req request) decision {
	switch {
	case n.started() && n.reportedEnd():
		return n.outcome(req)
	case req.suspend:
		return n.waitForResume()
	case n.refusal != nil:
		return n.waitForConsent()
	case !n.ours:
		return decision{state: nodeQueued, do: doQueue}
	case !n.podsEnded():
		return running(doNothing, "The runner's last pod is ending.%s", n.outage())
	}
	return running(doStart, "The runner's pod is starting.")
}

// waitForConsent releases the node until there is consent, unless trials have run there.
func (n *nodeRun) waitForConsent() decision {
	d := decision{state: nodeWaiting, message: n.refusal.message}
	if n.ours && !n.started() {
		d.do = doRelease
	}
	return d
}

// waitForResume keeps a suspended benchmark from running. It releases the lease once the node is clean.
func (n *nodeRun) waitForResume() decision {
	d := decision{state: nodeSuspended, message: "Suspended before the start; set spec.suspend to false to continue."}
	if n.started() {
		d.message = "Suspended between two trials; set spec.suspend to false to continue."
	}
	if n.ours && n.ownsNothing() && n.podsEnded() {
		d.do = doRelease
	}
	return d
}

// decideRunning describes a running Job, and passes changes of spec.suspend on to the runner.
func (n *nodeRun) decideRunning(req request) decision {
	d := running(doNothing, "%s%s", n.describe(req.now), n.outage())
	if n.askedToSuspend() != req.suspend {
		d.do = doAskSuspend
	}
	d.requeueAfter = n.runProblem(req.now).requeueAfter
	if left, reported := n.overdueIn(req.now); reported {
		d.requeueAfter = left
	}
	return d
}

// outage is a hint for people when the node is not Ready; empty when it is.
func (n *nodeRun) outage() string {
	if n.ready() {
		return ""
	}
	return fmt.Sprintf(" Node %s is not Ready; this continues when it is.", n.name)
}
