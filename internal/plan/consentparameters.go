// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"zfsbench.io/operator/api/v1alpha1"
)

// ModuleParameters are the names of all parameters that variants set, in order.
func ModuleParameters(variants []Variant) []string {
	names := map[string]bool{}
	for _, v := range variants {
		for name := range v.ModuleParameters {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// grantParameters refuses variants that set a module parameter which no applying policy lists.
func grantParameters(variants []Variant, namespace string, node Node, applying []v1alpha1.BenchmarkDevicePolicy) error {
	lacking := slices.DeleteFunc(ModuleParameters(variants), func(name string) bool {
		return slices.ContainsFunc(applying, func(p v1alpha1.BenchmarkDevicePolicy) bool {
			return slices.Contains(p.Spec.ModuleParameters, name)
		})
	})
	if len(lacking) == 0 {
		return nil
	}
	names := strings.Join(lacking, ", ")
	lacks := fmt.Sprintf("No BenchmarkDevicePolicy lets namespace %s set the OpenZFS module parameters %s on node %s.",
		namespace, names, node.Name)
	if len(applying) > 0 {
		return mismatch("%s The storage administrator could add them to spec.moduleParameters of BenchmarkDevicePolicy "+
			"%s: [%s].", lacks, applying[0].Name, names)
	}
	hint := policyHint(namespace, node, fmt.Sprintf("moduleParameters: [%s]", names))
	return &ConsentError{Reason: v1alpha1.ReasonNoPolicy, Message: lacks + " The storage administrator could apply " +
		"this one: " + hint, Hint: hint}
}
