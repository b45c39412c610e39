// SPDX-License-Identifier: Apache-2.0

// Package v1alpha1 is the API group zfsbench.io, version v1alpha1: ZfsBenchmark, the experiment, and
// BenchmarkDevicePolicy, the storage administrator's consent to it.
//
// +kubebuilder:object:generate=true
// +groupName=zfsbench.io
package v1alpha1
