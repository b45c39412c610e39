// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"slices"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/kube/jobspec"
	"zfsbench.io/operator/internal/result"
)

// storageStep is what a reconcile does for a node's NodeStorage.
type storageStep string

const (
	storageNothing storageStep = ""
	storageCreate  storageStep = "create"
	// storageDelete removes the object, and a discovery that runs.
	storageDelete storageStep = "delete"
	storageStart  storageStep = "start"
	// storageStop ends a discovery because a benchmark needs the node.
	storageStop storageStep = "stop"
	// storageAccept and storageFail end a discovery with and without a report.
	storageAccept storageStep = "accept"
	storageFail   storageStep = "fail"
)

// storageDecision is one step, and when to look again although nothing has changed; 0 is never.
type storageDecision struct {
	step         storageStep
	requeueAfter time.Duration
}

// storageState is what a decision about a NodeStorage depends on. decide changes the status of object.
type storageState struct {
	now      time.Time
	interval time.Duration
	// node and object are nil if they do not exist.
	node     *corev1.Node
	object   *v1alpha1.NodeStorage
	policies []v1alpha1.BenchmarkDevicePolicy
	// benchmarkRuns says that a benchmark holds the node.
	benchmarkRuns bool
	// request is the ConfigMap of a discovery, and job its Job; nil without one.
	request *corev1.ConfigMap
	job     *batchv1.Job
	// pods are the pods of discoveries on the node.
	pods []*corev1.Pod
}

// The times of discoveries.
const (
	// discoverySlack is how long a discovery may take beyond its deadline, for the Job controller.
	discoverySlack = 2 * time.Minute
	// failedDiscoveryRetry is when a discovery that failed is tried again.
	failedDiscoveryRetry = 30 * time.Minute
	// afterBenchmark is how long the node is left alone after a benchmark: the next one may be waiting for it.
	afterBenchmark = 30 * time.Second
	// leftPodAge is when a pod without a discovery is deleted. The cache may show a new pod before its discovery.
	leftPodAge = time.Minute
	// hungDiscoveryPoll is how often a discovery is looked for that does not end.
	hungDiscoveryPoll = time.Minute
)

// decide says what to do for the node's NodeStorage.
func (s *storageState) decide() storageDecision {
	allowed := s.node != nil && s.node.DeletionTimestamp.IsZero() && s.node.Labels[v1alpha1.LabelNodeAllowed] == "true"
	switch {
	case !allowed && s.object == nil && s.request == nil:
		return storageDecision{}
	case !allowed || s.object != nil && !s.ownedByNode():
		return storageDecision{step: storageDelete}
	case s.object == nil:
		return storageDecision{step: storageCreate}
	case s.benchmarkRuns:
		s.current(metav1.ConditionFalse, v1alpha1.ReasonBenchmarkRuns,
			"A benchmark uses the node. What is listed was found before it; the node is looked at again after it.")
		if s.request != nil {
			return storageDecision{step: storageStop}
		}
		return storageDecision{}
	case s.request != nil:
		return s.decideRunning()
	}
	return s.decideIdle()
}

// ownedByNode says whether the object is about this very node, and not about one before it of the same name.
func (s *storageState) ownedByNode() bool {
	return slices.ContainsFunc(s.object.OwnerReferences, func(o metav1.OwnerReference) bool { return o.UID == s.node.UID })
}

// decideRunning is about a node with a discovery.
func (s *storageState) decideRunning() storageDecision {
	age := s.now.Sub(s.request.CreationTimestamp.Time)
	limit := jobspec.DiscoveryDeadline + discoverySlack
	switch {
	case !s.request.DeletionTimestamp.IsZero():
		return storageDecision{}
	case s.request.Name != jobspec.DiscoveryName(string(s.node.UID)):
		return storageDecision{step: storageStop} // of another node of the same name
	case s.request.Data[jobspec.KeyInventory] != "":
		return s.accept()
	case s.job != nil && ended(s.job):
		return s.fail("its Job ended without a report" + detail(clip(sentence(terminationMessage(newest(s.pods))), maxNote)))
	case age > limit:
		return s.fail(fmt.Sprintf("it did not report within %s: a disk may not answer", limit))
	case s.job == nil:
		return storageDecision{step: storageStart} // an attempt that was interrupted
	}
	return storageDecision{requeueAfter: limit - age + time.Second}
}

// accept takes over what a discovery reports.
func (s *storageState) accept() storageDecision {
	found, err := result.DecodeInventory([]byte(s.request.Data[jobspec.KeyInventory]))
	if err != nil {
		return s.fail(fmt.Sprintf("its report cannot be read: %v", err))
	}
	status := &s.object.Status
	status.NodeInventory, status.NodeUID = found, string(s.node.UID)
	status.ObservedAt = &metav1.Time{Time: s.now.Truncate(time.Second)}
	status.DiskCount, status.BlankCount = int32(len(found.Disks))+found.OmittedDisks, 0
	for _, disk := range found.Disks {
		if disk.Verdict == v1alpha1.DiskBlank {
			status.BlankCount++
		}
	}
	s.current(metav1.ConditionTrue, v1alpha1.ReasonDiscovered, "The node was looked at.")
	return storageDecision{step: storageAccept, requeueAfter: s.interval}
}

func (s *storageState) fail(why string) storageDecision {
	s.current(metav1.ConditionFalse, v1alpha1.ReasonDiscoveryFailed,
		fmt.Sprintf("The discovery failed: %s. It is tried again %s after it was started.", why, failedDiscoveryRetry))
	return storageDecision{step: storageFail, requeueAfter: failedDiscoveryRetry}
}

// decideIdle is about a node without a discovery: is one due?
func (s *storageState) decideIdle() storageDecision {
	status := &s.object.Status
	if s.reason() == v1alpha1.ReasonBenchmarkRuns {
		s.current(metav1.ConditionUnknown, v1alpha1.ReasonBenchmarkEnded,
			"A benchmark has used the node, which is about to be looked at again.")
	}
	wait := s.due()
	switch {
	case wait > 0:
		return storageDecision{requeueAfter: wait}
	case len(s.pods) > 0:
		return s.decideLeftPods()
	case !nodeReady(s.node):
		if status.ObservedAt != nil {
			s.current(metav1.ConditionFalse, v1alpha1.ReasonTooOld, "The node should be looked at again, and is not Ready.")
		}
		return storageDecision{} // its event starts the next reconcile
	}
	switch {
	case status.ObservedAt == nil:
		s.current(metav1.ConditionFalse, v1alpha1.ReasonDiscovering, "The node is being looked at for the first time.")
	case s.reason() == v1alpha1.ReasonDiscoveryFailed: // so that people see when it fails again
		s.current(metav1.ConditionFalse, v1alpha1.ReasonDiscovering,
			"The node is being looked at again, after a discovery that failed.")
	}
	status.AttemptedAt = &metav1.Time{Time: s.now.Truncate(time.Second)}
	status.ObservedRequest = s.asked()
	return storageDecision{step: storageStart}
}

// decideLeftPods is about pods that are there without a discovery: no other one is started beside them.
func (s *storageState) decideLeftPods() storageDecision {
	if slices.ContainsFunc(s.pods, func(pod *corev1.Pod) bool { return hangs(pod, s.now) }) {
		s.current(metav1.ConditionFalse, v1alpha1.ReasonDiscoveryHangs,
			"The pod of the last discovery does not end: a disk may not answer. What is listed was found before.")
	}
	left := func(pod *corev1.Pod) bool {
		return pod.DeletionTimestamp == nil && s.now.Sub(pod.CreationTimestamp.Time) > leftPodAge
	}
	if slices.ContainsFunc(s.pods, left) {
		return storageDecision{step: storageStop, requeueAfter: hungDiscoveryPoll}
	}
	return storageDecision{requeueAfter: hungDiscoveryPoll}
}

// due is how long to wait for the next discovery; 0 is not at all.
func (s *storageState) due() time.Duration {
	status := &s.object.Status
	switch {
	case s.asked() != status.ObservedRequest, status.AttemptedAt == nil:
		return 0
	case s.reason() == v1alpha1.ReasonDiscoveryHangs, s.reason() == v1alpha1.ReasonTooOld:
		return 0 // one was due when these were written
	case s.reason() == v1alpha1.ReasonBenchmarkEnded:
		ended := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionCurrent).LastTransitionTime
		return max(0, ended.Add(afterBenchmark).Sub(s.now))
	case s.reason() == v1alpha1.ReasonDiscoveryFailed, s.reason() == v1alpha1.ReasonDiscovering, status.ObservedAt == nil:
		return max(0, status.AttemptedAt.Add(failedDiscoveryRetry).Sub(s.now))
	}
	return max(0, status.ObservedAt.Add(s.interval).Sub(s.now))
}

// reason is the reason of the condition Current; empty before there is one.
func (s *storageState) reason() string {
	if c := meta.FindStatusCondition(s.object.Status.Conditions, v1alpha1.ConditionCurrent); c != nil {
		return c.Reason
	}
	return ""
}

// asked is the value of the annotation by which people ask for a discovery, as far as the status can hold it.
func (s *storageState) asked() string {
	value := strings.ToValidUTF8(s.object.Annotations[v1alpha1.AnnotationDiscover], "")
	if runes := []rune(value); len(runes) > 256 {
		return string(runes[:256])
	}
	return value
}

func (s *storageState) current(status metav1.ConditionStatus, reason, message string) {
	meta.SetStatusCondition(&s.object.Status.Conditions, metav1.Condition{
		Type: v1alpha1.ConditionCurrent, Status: status, Reason: reason, Message: message,
		LastTransitionTime: metav1.Time{Time: s.now.Truncate(time.Second)},
	})
}

// offer says by which policies each disk is offered.
func (s *storageState) offer() {
	status := &s.object.Status
	status.OfferedCount = 0
	for i := range status.Disks {
		disk := &status.Disks[i]
		disk.OfferedBy = nil
		for _, p := range s.policies {
			offers := slices.ContainsFunc(p.Spec.Devices, func(d v1alpha1.PolicyDevice) bool { return isDisk(d, *disk) })
			if p.Spec.Node.Name == s.object.Name && p.Spec.Node.UID == status.NodeUID && offers && len(disk.OfferedBy) < 16 {
				disk.OfferedBy = append(disk.OfferedBy, p.Name)
			}
		}
		slices.Sort(disk.OfferedBy)
		if len(disk.OfferedBy) > 0 {
			status.OfferedCount++
		}
	}
}

// isDisk says whether a policy's device is this disk: path, serial number and size agree.
func isDisk(d v1alpha1.PolicyDevice, disk v1alpha1.NodeDisk) bool {
	return disk.HasPath(d.Path) && d.Serial == disk.Serial && d.Size.CmpInt64(disk.SizeBytes) == 0
}
