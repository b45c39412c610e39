// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"fmt"
	"slices"
	"strings"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/spec/validate"
)

// Array is the md array that a variant is on; nil if it is on none.
func (v Variant) Array() *v1alpha1.MDArray {
	if v.Baseline == nil {
		return nil
	}
	return v.Baseline.Array()
}

// grantArrays refuses variants on md arrays where no applying policy allows them.
func grantArrays(variants []Variant, namespace string, node Node, applying []v1alpha1.BenchmarkDevicePolicy) error {
	var asking []string
	for _, v := range variants {
		if v.Array() != nil {
			asking = append(asking, v.Name)
		}
	}
	allows := func(p v1alpha1.BenchmarkDevicePolicy) bool { return p.Spec.MDArrays == v1alpha1.MDArraysAllowed }
	if len(asking) == 0 || slices.ContainsFunc(applying, allows) {
		return nil
	}
	lacks := fmt.Sprintf("No BenchmarkDevicePolicy lets namespace %s make md arrays on node %s, and the baselines %s "+
		"need them.", namespace, node.Name, strings.Join(asking, ", "))
	if len(asking) == 1 {
		lacks = fmt.Sprintf("No BenchmarkDevicePolicy lets namespace %s make md arrays on node %s, and the baseline %s "+
			"needs one.", namespace, node.Name, asking[0])
	}
	if len(applying) > 0 {
		return mismatch("%s The storage administrator could set spec.mdArrays of BenchmarkDevicePolicy %s to %s.", lacks,
			applying[0].Name, v1alpha1.MDArraysAllowed)
	}
	hint := policyHint(namespace, node, "mdArrays: "+string(v1alpha1.MDArraysAllowed))
	return &ConsentError{Reason: v1alpha1.ReasonNoPolicy, Message: lacks + " The storage administrator could apply " +
		"this one: " + hint, Hint: hint}
}

// checkArraySizes refuses md arrays of devices whose sizes differ too much, by the same limit as in a vdev: the unused
// space, or the part of a stripe that is on fewer disks, would be measured with the rest.
func checkArraySizes(variants []Variant, sizes map[string]int64) error {
	for _, v := range variants {
		array := v.Array()
		if array == nil || len(array.Devices) == 0 { // Validation refuses one without devices.
			continue
		}
		var all []int64
		for _, name := range array.Devices {
			all = append(all, sizes[name])
		}
		if slices.Max(all)-slices.Min(all) > validate.SizeToleranceBytes {
			return mismatch("The disks %s of the %s array of baseline %s are not of one size, to 16Mi, by what the policies "+
				"promise.", strings.Join(array.Devices, ", "), array.Level, v.Name)
		}
	}
	return nil
}
