// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"zfsbench.io/operator/internal/result"
)

// endPatience is how long a pod may take to end after its work is done. A process that waits in the kernel, for a pool
// without devices, never ends, and neither does its pod.
const endPatience = time.Minute

// reportedForGood means that the runner has reported its end, and that no other runner continues.
func (n *nodeRun) reportedForGood() bool {
	return n.reported() == result.StateComplete || n.reported() == result.StateFailed && !n.interrupted()
}

// overdueIn is how long the pod of a runner that has reported its end may still take, at least 0; false means that it
// has not reported. A report with a time in the future counts as made just now.
func (n *nodeRun) overdueIn(now time.Time) (time.Duration, bool) {
	if !n.reportedForGood() {
		return 0, false
	}
	return max(0, endPatience-max(0, now.Sub(n.progress.Updated))), true
}

// overdue means that the manager uses the report although the Job has not ended.
func (n *nodeRun) overdue(now time.Time) bool {
	left, reported := n.overdueIn(now)
	return reported && left == 0
}

// awaitRunnerEnd waits for the runner's pod. A pod that does not end fails the benchmark; a deletion keeps waiting, and
// says what it waits for.
func (n *nodeRun) awaitRunnerEnd(now time.Time, deleting bool) cleanupStep {
	note := fmt.Sprintf("Waiting for the runner's pod on %s to end.", n.name)
	left, deleted := n.stuckIn(now)
	if !deleted || left > 0 {
		return cleanupStep{note: note, requeueAfter: left}
	}
	failure := fmt.Sprintf("The runner's pod on %s does not end: a process that waits in the kernel, for example for a "+
		"pool without devices, ends only with a reboot of the node.", n.name)
	if deleting {
		return cleanupStep{note: failure, requeueAfter: endPatience}
	}
	return cleanupStep{failure: failure}
}

// stuckIn is how long the pods that are being deleted may still take, at least 0; false means that no pod is being
// deleted, or that the node is not Ready.
func (n *nodeRun) stuckIn(now time.Time) (left time.Duration, deleted bool) {
	if !n.ready() {
		return 0, false
	}
	for _, pod := range n.pods {
		if podEnded(pod) || pod.DeletionTimestamp == nil {
			continue
		}
		until := pod.DeletionTimestamp.Add(endPatience)
		if n.reportedForGood() {
			// A runner that has reported its end needs no grace period.
			until = until.Add(-time.Duration(ptr.Deref(pod.DeletionGracePeriodSeconds, 0)) * time.Second)
		}
		left, deleted = max(left, until.Sub(now)), true
	}
	return left, deleted
}

func podEnded(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
}
