// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// BenchmarkDevicePolicyStatus says whether the devices of a policy are what its node has. It is information: consent is
// in spec alone, and the runner checks each disk again before it writes to it.
type BenchmarkDevicePolicyStatus struct {
	// observedGeneration is the generation of the spec that this status describes.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// conditions has Ready: whether every device of the policy is on its node as listed, and blank.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=8
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// verifiedDevices is how many devices are Verified, of how many, for example 3/4.
	// +optional
	// +kubebuilder:validation:MaxLength=16
	VerifiedDevices string `json:"verifiedDevices,omitempty"`

	// devices are the devices of spec, as the last discovery found them on the node.
	// +optional
	// +listType=map
	// +listMapKey=path
	// +kubebuilder:validation:MaxItems=128
	Devices []PolicyDeviceStatus `json:"devices,omitempty"`
}

// PolicyDeviceStatus is a device of a policy, as the last discovery found it.
type PolicyDeviceStatus struct {
	// path of the device.
	// +kubebuilder:validation:MaxLength=255
	Path string `json:"path"`
	// state is Verified, Missing, Mismatch, InUse or Refused.
	State PolicyDeviceState `json:"state"`
	// message says which value differs, or why the disk cannot be used.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Message string `json:"message,omitempty"`
}

// PolicyDeviceState is Verified for a disk that is as listed and blank, or holds only data that the policy lets
// benchmarks overwrite; Missing if the node has no such path; Mismatch if serial number or size differ; InUse if
// somebody uses the disk or it holds other data; Refused if it can never be used as it is, or does not answer.
//
// +kubebuilder:validation:Enum=Verified;Missing;Mismatch;InUse;Refused
type PolicyDeviceState string

// How a device of a policy may be found.
const (
	PolicyDeviceVerified PolicyDeviceState = "Verified"
	PolicyDeviceMissing  PolicyDeviceState = "Missing"
	PolicyDeviceMismatch PolicyDeviceState = "Mismatch"
	PolicyDeviceInUse    PolicyDeviceState = "InUse"
	PolicyDeviceRefused  PolicyDeviceState = "Refused"
)

// ConditionReady of a BenchmarkDevicePolicy is True while every device that it lists is on its node as listed, and
// blank.
const ConditionReady = "Ready"

// The reasons of the condition Ready, beside NodeNotFound.
const (
	ReasonVerified        = "Verified"
	ReasonDevicesNotReady = "DevicesNotReady"
	ReasonNodeReplaced    = "NodeReplaced"
	ReasonNotDiscovered   = "NotDiscovered"
)
