// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"zfsbench.io/operator/internal/kube/jobspec"
	"zfsbench.io/operator/internal/result"
)

// suspendRequest is the value that the runner reads from the progress ConfigMap: "true"; "false" if the request was
// withdrawn; empty if there never was one.
func (n *nodeRun) suspendRequest() string {
	if n.progressMap == nil {
		return ""
	}
	return n.progressMap.Annotations[jobspec.AnnotationSuspend]
}

func (n *nodeRun) askedToSuspend() bool { return n.suspendRequest() == "true" }

// describe is a sentence about what a runner with a Job is doing.
func (n *nodeRun) describe(now time.Time) string {
	if p := n.runProblem(now); p.message != "" {
		return p.message
	}
	if n.progress != nil && n.progress.Waiting != "" {
		return fmt.Sprintf("The runner waits for %s.", n.progress.Waiting)
	}
	switch n.reported() {
	case result.StatePreflight:
		if scan := n.progress.Scan; scan != nil {
			return fmt.Sprintf("The runner is reading all of %d disks before it writes anything: %d%% done.",
				scan.Devices, scan.Percent())
		}
		return "The runner is checking devices and tools before it writes anything."
	case result.StateRunning:
		text := fmt.Sprintf("%d of %d trials are done.", n.progress.Completed+n.progress.Failed, n.planned())
		if n.askedToSuspend() {
			text += " The benchmark is suspended after the current one."
		}
		return text + n.removalWaits()
	case result.StateComplete, result.StateFailed:
		return "The runner has reported, and its pod is ending."
	}
	if n.waitsForImages() {
		return fmt.Sprintf("The runner waits for its images: pod %s is starting.", jobspec.ImagePodName(n.run.Base()))
	}
	if pod := newest(podsOf(n.job, n.pods)); pod != nil && pod.Status.Phase == corev1.PodRunning {
		return "The runner has started and is about to report."
	}
	return "The runner's pod is starting."
}

// removalWaits is a sentence about what the removal of a claimed volume waits for, or empty.
func (n *nodeRun) removalWaits() string {
	if !n.isAnswered() || n.claimAnswer.Ready || n.claimAnswer.Message == "" {
		return ""
	}
	if want := n.claimRequest.Want; want != result.ClaimAbsent && want != result.ClaimKept {
		return ""
	}
	return " " + n.claimAnswer.Message
}
