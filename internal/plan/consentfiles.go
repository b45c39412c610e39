// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"fmt"
	"slices"
	"strings"

	"zfsbench.io/operator/api/v1alpha1"
)

// grantFiles refuses file devices where the configuration forbids them, or leaves them to policies and none that
// applies allows them. How much space they take is grantScratch's concern.
func grantFiles(in Input, applying []v1alpha1.BenchmarkDevicePolicy) error {
	names := fileNames(in.Benchmark.Spec.Devices)
	if len(names) == 0 {
		return nil
	}
	switch in.Defaults.FileDevices {
	case "", FileDevicesAllowed:
		return nil
	case FileDevicesForbidden:
		return mismatch("spec.devices has the file devices %s, and the operator's configuration forbids file devices "+
			"(fileDevices: %s): "+
			"use disks that a BenchmarkDevicePolicy offers.", strings.Join(names, ", "), FileDevicesForbidden)
	}
	allows := func(p v1alpha1.BenchmarkDevicePolicy) bool { return p.Spec.FileDevices == v1alpha1.FileDevicesAllowed }
	if slices.ContainsFunc(applying, allows) {
		return nil
	}
	lacks := fmt.Sprintf("No BenchmarkDevicePolicy lets namespace %s use the file devices %s on node %s, "+
		"and the operator's configuration asks for one (fileDevices: %s).",
		in.Benchmark.Namespace, strings.Join(names, ", "), in.Node.Name, FileDevicesByPolicy)
	if len(applying) > 0 {
		return mismatch("%s The storage administrator could set spec.fileDevices of BenchmarkDevicePolicy %s to %s.",
			lacks, applying[0].Name, v1alpha1.FileDevicesAllowed)
	}
	hint := policyHint(in.Benchmark.Namespace, in.Node, "fileDevices: "+string(v1alpha1.FileDevicesAllowed))
	message := lacks + " The storage administrator could apply this one: " + hint
	return &ConsentError{Reason: v1alpha1.ReasonNoPolicy, Message: message, Hint: hint}
}

// fileNames are the names of the devices that are files.
func fileNames(devices []v1alpha1.Device) []string {
	var names []string
	for _, d := range devices {
		if d.File != nil {
			names = append(names, d.Name)
		}
	}
	return names
}
