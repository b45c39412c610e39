// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
)

// policyStatus compares a policy with what its node has; node and storage are nil if they do not exist. It is a pure
// function.
func policyStatus(
	p v1alpha1.BenchmarkDevicePolicy, node *corev1.Node, storage *v1alpha1.NodeStorage, now time.Time,
) v1alpha1.BenchmarkDevicePolicyStatus {
	status := v1alpha1.BenchmarkDevicePolicyStatus{ObservedGeneration: p.Generation, Conditions: p.Status.Conditions}
	ready := func(is metav1.ConditionStatus, reason, format string, args ...any) v1alpha1.BenchmarkDevicePolicyStatus {
		conditions := slices.Clone(status.Conditions)
		meta.SetStatusCondition(&conditions, metav1.Condition{
			Type: v1alpha1.ConditionReady, Status: is, Reason: reason, Message: fmt.Sprintf(format, args...),
			ObservedGeneration: p.Generation, LastTransitionTime: metav1.Time{Time: now.Truncate(time.Second)},
		})
		status.Conditions = conditions
		return status
	}
	want := p.Spec.Node
	status.VerifiedDevices = fmt.Sprintf("-/%d", len(p.Spec.Devices))
	switch {
	case node == nil:
		return ready(metav1.ConditionFalse, v1alpha1.ReasonNodeNotFound, "There is no node %s.", want.Name)
	case string(node.UID) != want.UID:
		return ready(metav1.ConditionFalse, v1alpha1.ReasonNodeReplaced,
			"Node %s has the UID %s, the policy says %s: it was replaced, or the policy was made for another one.",
			want.Name, node.UID, want.UID)
	case len(p.Spec.Devices) == 0:
		return ready(metav1.ConditionTrue, v1alpha1.ReasonVerified, "The policy lists no devices.")
	case storage == nil:
		return ready(metav1.ConditionUnknown, v1alpha1.ReasonNotDiscovered,
			"Node %s is not looked at: it has no label %s=true.", want.Name, v1alpha1.LabelNodeAllowed)
	case storage.Status.ObservedAt == nil || storage.Status.NodeUID != want.UID:
		return ready(metav1.ConditionUnknown, v1alpha1.ReasonNotDiscovered,
			"Node %s has not been looked at yet: its NodeStorage says why.", want.Name)
	}
	var problems []string
	verified := 0
	for _, d := range p.Spec.Devices {
		device := checkDevice(d, storage.Status.NodeInventory)
		status.Devices = append(status.Devices, device)
		if device.State == v1alpha1.PolicyDeviceVerified {
			verified++
		} else if len(problems) < 3 {
			problems = append(problems, device.Path+": "+device.Message)
		}
	}
	status.VerifiedDevices = fmt.Sprintf("%d/%d", verified, len(status.Devices))
	if verified == len(status.Devices) {
		return ready(metav1.ConditionTrue, v1alpha1.ReasonVerified,
			"The node has all devices as listed, and benchmarks may use them.")
	}
	return ready(metav1.ConditionFalse, v1alpha1.ReasonDevicesNotReady, "%d of %d devices cannot be used: %s",
		len(status.Devices)-verified, len(status.Devices), strings.Join(problems, " "))
}

// checkDevice compares a device of a policy with the disks of its node. What a node reports may become longer when it
// is quoted.
func checkDevice(d v1alpha1.PolicyDevice, found v1alpha1.NodeInventory) v1alpha1.PolicyDeviceStatus {
	status := plan.StateOf(d, found)
	status.Message = clip(sentence(status.Message), maxNote)
	return status
}
