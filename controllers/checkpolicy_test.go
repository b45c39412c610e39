// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zfsbench.io/operator/api/v1alpha1"
)

func TestPolicyStatus(t *testing.T) {
	type input struct {
		policy  *v1alpha1.BenchmarkDevicePolicy
		node    *corev1.Node
		storage *v1alpha1.NodeStorage
	}
	device := func(in *input) *v1alpha1.PolicyDevice { return &in.policy.Spec.Devices[0] }
	disk := func(in *input) *v1alpha1.NodeDisk { return &in.storage.Status.Disks[0] }
	tests := map[string]struct {
		change func(*input)
		status metav1.ConditionStatus
		reason string
		// state is of the first device; empty for no list.
		state    v1alpha1.PolicyDeviceState
		verified string
		message  string
	}{
		"as it is": {func(*input) {}, metav1.ConditionTrue, v1alpha1.ReasonVerified, v1alpha1.PolicyDeviceVerified, "1/1",
			""},
		"by an alias": {func(in *input) { device(in).Path = "/dev/disk/by-id/ata-ACME_S1" }, metav1.ConditionTrue,
			v1alpha1.ReasonVerified, v1alpha1.PolicyDeviceVerified, "1/1", ""},
		"another serial": {func(in *input) { device(in).Serial = "S9" }, metav1.ConditionFalse,
			v1alpha1.ReasonDevicesNotReady, v1alpha1.PolicyDeviceMismatch, "0/1",
			`The serial number is "S1", the policy says "S9".`},
		"another size": {func(in *input) { device(in).Size = resource.MustParse("1T") }, metav1.ConditionFalse,
			v1alpha1.ReasonDevicesNotReady, v1alpha1.PolicyDeviceMismatch, "0/1",
			"The size is 1099511627776 bytes, the policy says 1T."},
		"another path": {func(in *input) { device(in).Path += "0" }, metav1.ConditionFalse,
			v1alpha1.ReasonDevicesNotReady, v1alpha1.PolicyDeviceMissing, "0/1",
			"the disk with this serial number is " + testWWN},
		"gone": {func(in *input) { in.storage.Status.Disks = nil }, metav1.ConditionFalse,
			v1alpha1.ReasonDevicesNotReady, v1alpha1.PolicyDeviceMissing, "0/1", "no disk with this serial number"},
		"another path of a disk that has none": {func(in *input) {
			device(in).Path += "0"
			disk(in).Path, disk(in).Aliases = "", nil
		}, metav1.ConditionFalse, v1alpha1.ReasonDevicesNotReady, v1alpha1.PolicyDeviceMissing, "0/1",
			"the disk with this serial number is /dev/sda."},
		"maybe one of those that are not listed": {func(in *input) {
			in.storage.Status.Disks, in.storage.Status.OmittedDisks = nil, 7
		}, metav1.ConditionFalse, v1alpha1.ReasonDevicesNotReady, v1alpha1.PolicyDeviceMissing, "0/1",
			"no room for 7 more disks of the node; this may be one of them."},
		"in use": {func(in *input) {
			disk(in).Verdict, disk(in).Reason = v1alpha1.DiskInUse, "It is mounted at /srv."
		}, metav1.ConditionFalse, v1alpha1.ReasonDevicesNotReady, v1alpha1.PolicyDeviceInUse, "0/1",
			testWWN + ": It is mounted at /srv."},
		"unsigned data, and consent to overwrite it": {func(in *input) {
			disk(in).Verdict, disk(in).UnsignedData = v1alpha1.DiskInUse, true
			device(in).UnsignedData = v1alpha1.UnsignedDataOverwrite
		}, metav1.ConditionTrue, v1alpha1.ReasonVerified, v1alpha1.PolicyDeviceVerified, "1/1", ""},
		"unsigned data, and no consent": {func(in *input) {
			disk(in).Verdict, disk(in).UnsignedData, disk(in).Reason = v1alpha1.DiskInUse, true, "It is not blank."
		}, metav1.ConditionFalse, v1alpha1.ReasonDevicesNotReady, v1alpha1.PolicyDeviceInUse, "0/1", "It is not blank."},
		"consent to overwrite, and other data": {func(in *input) {
			disk(in).Verdict, disk(in).Reason = v1alpha1.DiskInUse, "It is mounted at /srv."
			device(in).UnsignedData = v1alpha1.UnsignedDataOverwrite
		}, metav1.ConditionFalse, v1alpha1.ReasonDevicesNotReady, v1alpha1.PolicyDeviceInUse, "0/1", "mounted at /srv"},
		"dead": {func(in *input) {
			disk(in).Verdict, disk(in).Reason = v1alpha1.DiskRefused, "It does not answer."
		}, metav1.ConditionFalse, v1alpha1.ReasonDevicesNotReady, v1alpha1.PolicyDeviceRefused, "0/1",
			"It does not answer."},
		"no node": {func(in *input) { in.node = nil }, metav1.ConditionFalse, v1alpha1.ReasonNodeNotFound, "", "-/1",
			"There is no node storage-0."},
		"another node of the name": {func(in *input) { in.node.UID = "other" }, metav1.ConditionFalse,
			v1alpha1.ReasonNodeReplaced, "", "-/1", "has the UID other"},
		"no label": {func(in *input) { in.storage = nil }, metav1.ConditionUnknown, v1alpha1.ReasonNotDiscovered, "", "-/1",
			"no label zfsbench.io/allowed=true"},
		"not looked at": {func(in *input) { in.storage.Status.ObservedAt = nil }, metav1.ConditionUnknown,
			v1alpha1.ReasonNotDiscovered, "", "-/1", "has not been looked at yet"},
		"looked at before it was replaced": {func(in *input) { in.storage.Status.NodeUID = "before" },
			metav1.ConditionUnknown, v1alpha1.ReasonNotDiscovered, "", "-/1", "has not been looked at yet"},
		"no devices": {func(in *input) { in.policy.Spec.Devices = nil }, metav1.ConditionTrue, v1alpha1.ReasonVerified, "",
			"-/0", "lists no devices"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := storage()
			s.withRequest(0, reported(t))
			s.decide()
			in := input{node: s.node, storage: s.object, policy: &v1alpha1.BenchmarkDevicePolicy{}}
			in.policy.Spec.Node = v1alpha1.PolicyNode{Name: s.node.Name, UID: string(s.node.UID)}
			in.policy.Spec.Devices = []v1alpha1.PolicyDevice{{Path: testWWN, Serial: "S1", Size: resource.MustParse("1Ti")}}
			tt.change(&in)
			got := policyStatus(*in.policy, in.node, in.storage, testNow())
			c := meta.FindStatusCondition(got.Conditions, v1alpha1.ConditionReady)
			if c == nil || c.Status != tt.status || c.Reason != tt.reason || !strings.Contains(c.Message, tt.message) {
				t.Errorf("condition %+v", c)
			}
			if got.VerifiedDevices != tt.verified || len(got.Devices) > 0 != (tt.state != "") ||
				tt.state != "" && got.Devices[0].State != tt.state {
				t.Errorf("%s, devices %+v", got.VerifiedDevices, got.Devices)
			}
		})
	}
}

// TestPolicyStatusFitsTheAPI: a node that reports a serial number that grows when it is quoted cannot make the status
// of a policy too long for the API.
func TestPolicyStatusFitsTheAPI(t *testing.T) {
	found := v1alpha1.NodeInventory{Disks: []v1alpha1.NodeDisk{
		{Path: testWWN, Device: "/dev/sda", Serial: strings.Repeat("\U0010fffe", 256)},
	}}
	got := checkDevice(v1alpha1.PolicyDevice{Path: testWWN, Serial: "S1"}, found)
	if got.State != v1alpha1.PolicyDeviceMismatch || len(got.Message) > 1024 {
		t.Errorf("%s, %d bytes: %s", got.State, len(got.Message), got.Message)
	}
}
