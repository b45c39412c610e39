// SPDX-License-Identifier: Apache-2.0

package jobspec

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// ContainerWaiting returns why a container of a pod does not start. It is nil if none waits, or if a container is only
// being created or waits for another one.
func ContainerWaiting(pod *corev1.Pod) *corev1.ContainerStateWaiting {
	for _, status := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
		if w := status.State.Waiting; w != nil &&
			!slices.Contains([]string{"", "ContainerCreating", "PodInitializing"}, w.Reason) {
			return w
		}
	}
	return nil
}

// Unschedulable returns why the scheduler finds no node for a pod; false if it found one.
func Unschedulable(pod *corev1.Pod) (string, bool) {
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse {
			return c.Message, true
		}
	}
	return "", false
}
