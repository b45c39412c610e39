// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
)

// cleanupRetry is how long a failed cleanup Job stays, for people to inspect, before a benchmark being deleted tries
// again.
const cleanupRetry = time.Minute

// cleanupStep is the next step towards a clean and released node.
type cleanupStep struct {
	do action
	// done means that the node is released.
	done bool
	// note says what the cleanup waits for.
	note string
	// failure means that the cleanup has ended but something is left; only deleting the benchmark retries the cleanup.
	failure      string
	requeueAfter time.Duration
}

// decideCleanup is the next step towards a clean and released node: stop the runner, wait for its pods, clean up if
// anything may be left, release the lease. It is a pure function. With deleting, a failed cleanup is tried again.
func decideCleanup(n *nodeRun, now time.Time, deleting bool) cleanupStep {
	switch {
	case n.lost() || n.abandoned:
		return n.decideAbandon()
	case n.job != nil && n.job.DeletionTimestamp == nil && !ended(n.job):
		return cleanupStep{do: doDeleteJob, note: fmt.Sprintf("The runner on %s is being stopped.", n.name)}
	case n.job != nil && n.job.DeletionTimestamp != nil || n.cleanup == nil && !n.podsEnded():
		return n.awaitRunnerEnd(now, deleting)
	case n.hasNothingToCleanUp():
		return n.decideRelease()
	}
	return n.decideCleanupJob(now, deleting)
}

// decideAbandon gives up a node that cannot be reached, is gone, or was replaced. As long as the runner's pod has
// not ended, the node and its disks stay locked.
func (n *nodeRun) decideAbandon() cleanupStep {
	live := func(job *batchv1.Job) bool { return job != nil && job.DeletionTimestamp == nil }
	going := func(job *batchv1.Job) bool { return job != nil && job.DeletionTimestamp != nil }
	switch {
	case n.outOfService():
	case live(n.job) && !ended(n.job):
		return cleanupStep{do: doDeleteJob, note: fmt.Sprintf("The runner on %s is being stopped.", n.name)}
	case live(n.cleanup) && !ended(n.cleanup):
		return cleanupStep{do: doDeleteCleanup, note: fmt.Sprintf("The cleanup on %s is being stopped.", n.name)}
	case !n.podsEnded() || going(n.job) || going(n.cleanup):
		return cleanupStep{note: n.awaitedPods()}
	}
	if n.ours || live(n.job) || live(n.cleanup) {
		return cleanupStep{do: doAbandon, note: fmt.Sprintf("Giving up %s.", n.name)}
	}
	return cleanupStep{done: true}
}

// awaitedPods says which pods have to end before the node is given up, and what to do if they can never end.
func (n *nodeRun) awaitedPods() string {
	taint := fmt.Sprintf("`kubectl taint node %s %s=nodeshutdown:NoExecute`", n.name, corev1.TaintNodeOutOfService)
	switch {
	case n.replacement != nil:
		return fmt.Sprintf("Node %s was replaced by another one of this name, whose kubelet may still run the runner's pod: "+
			"%s is given up when the pod there has ended. If that machine is off for good, %s.", n.name, n.name, taint)
	case n.lost():
		return fmt.Sprintf("Node %s no longer exists, but its kubelet may register again: %s is given up when the pod there "+
			"is gone. Kubernetes removes the pods of such a node within two minutes.", n.name, n.name)
	}
	return fmt.Sprintf("%s is given up when the pod there has ended. If its machine is off for good, delete the Node "+
		"object, or %s.", n.name, taint)
}

// decideRelease releases a clean node, after the cleanup's pod has ended too.
func (n *nodeRun) decideRelease() cleanupStep {
	switch {
	case n.cleanup != nil && !ended(n.cleanup), !n.podsEnded():
		return cleanupStep{note: fmt.Sprintf("Waiting for the cleanup's pod on %s to end.", n.name)}
	case n.ours:
		return cleanupStep{do: doRelease, note: fmt.Sprintf("Releasing %s.", n.name)}
	}
	return cleanupStep{done: true}
}

// decideCleanupJob runs the cleanup Job until it has confirmed that nothing is left.
func (n *nodeRun) decideCleanupJob(now time.Time, deleting bool) cleanupStep {
	switch {
	case n.run == nil:
		return cleanupStep{failure: fmt.Sprintf("The plan for %s cannot be read (%v), so what it left there cannot be "+
			"removed.", n.name, n.recordsError)}
	case n.cleanup == nil:
		return cleanupStep{do: doCleanup, note: fmt.Sprintf("What the runner left on %s is being removed.", n.name)}
	case n.cleanup.DeletionTimestamp != nil:
		return cleanupStep{note: fmt.Sprintf("The cleanup on %s is about to be tried again.", n.name)}
	case !ended(n.cleanup):
		return n.awaitCleanupJob(now, deleting)
	}
	end, _ := jobEnd(n.cleanup)
	failure := fmt.Sprintf("The cleanup on %s did not confirm that everything is gone.%s", n.name, n.cleanupMessage(end))
	if !deleting {
		return cleanupStep{failure: failure}
	}
	if left := cleanupRetry - now.Sub(end.LastTransitionTime.Time); left > 0 {
		return cleanupStep{note: failure + " It is tried again.", requeueAfter: left}
	}
	return cleanupStep{do: doDeleteCleanup, note: failure + " It is tried again."}
}

// cleanupMessage is what a finished cleanup reports that it could not remove.
func (n *nodeRun) cleanupMessage(end batchv1.JobCondition) string {
	if n.reported() == result.StateFailed && n.progress.Failure.Reason == v1alpha1.ReasonCleanupFailed {
		return " It says: " + n.progress.Failure.Message
	}
	return endMessages(end, podsOf(n.cleanup, n.pods))
}

// awaitCleanupJob waits for a running cleanup. A cleanup that cannot start fails the benchmark; a deletion keeps
// waiting, and says what it waits for.
func (n *nodeRun) awaitCleanupJob(now time.Time, deleting bool) cleanupStep {
	p := n.podProblem(n.cleanup, now)
	switch {
	case p.message == "" && n.lease != nil && !n.ours:
		note := fmt.Sprintf("The cleanup on %s starts when the benchmark that runs there has ended.", n.name)
		return cleanupStep{note: note, requeueAfter: p.requeueAfter}
	case p.message == "" && n.progress != nil && n.progress.Waiting != "":
		note := fmt.Sprintf("The cleanup on %s waits for %s.", n.name, n.progress.Waiting)
		return cleanupStep{note: note, requeueAfter: p.requeueAfter}
	case p.message == "":
		note := fmt.Sprintf("What the runner left on %s is being removed.", n.name) + n.removalWaits()
		return cleanupStep{note: note, requeueAfter: p.requeueAfter}
	case p.fatal && !deleting:
		return cleanupStep{failure: fmt.Sprintf("The cleanup on %s does not start: %s", n.name, p.message)}
	}
	return cleanupStep{note: fmt.Sprintf("The cleanup on %s waits: %s", n.name, p.message), requeueAfter: p.requeueAfter}
}

// decideAfterOutcome is the decision for a node whose outcome is known. The node's state stays. If its cleanup fails,
// that becomes the node's reason and ends the benchmark, and the node stays locked.
func decideAfterOutcome(n *nodeRun, status v1alpha1.NodeStatus, now time.Time) (decision, cleanupStep) {
	d := decision{state: status.State, reason: status.Reason, message: status.Message}
	step := decideCleanup(n, now, false)
	d.do, d.requeueAfter = step.do, step.requeueAfter
	if step.failure != "" {
		step.done = true
		d.state, d.reason = nodeFailed, v1alpha1.ReasonCleanupFailed
		if failure := sentence(step.failure); !strings.Contains(status.Message, failure) {
			d.message = sentence(status.Message + " " + failure)
		}
	}
	return d, step
}
