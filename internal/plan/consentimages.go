// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"fmt"
	"slices"
	"strings"

	"zfsbench.io/operator/api/v1alpha1"
)

// Images are the different container images that the plan's workloads need, in their order.
func (p Plan) Images() []v1alpha1.ImageReference { return imagesOf(p.Workloads) }

func imagesOf(workloads []v1alpha1.Workload) []v1alpha1.ImageReference {
	var all []v1alpha1.ImageReference
	for _, w := range workloads {
		if image := w.Image(); image != "" && !slices.Contains(all, image) {
			all = append(all, image)
		}
	}
	return all
}

// grantImages refuses workloads that need an image which no applying policy lists.
func grantImages(workloads []v1alpha1.Workload, namespace string, node Node,
	applying []v1alpha1.BenchmarkDevicePolicy) error {
	lacking := slices.DeleteFunc(imagesOf(workloads), func(image v1alpha1.ImageReference) bool {
		return slices.ContainsFunc(applying, func(p v1alpha1.BenchmarkDevicePolicy) bool {
			return slices.Contains(p.Spec.Images, image)
		})
	})
	if len(lacking) == 0 {
		return nil
	}
	names := make([]string, 0, len(lacking))
	for _, image := range lacking {
		names = append(names, fmt.Sprintf("%q", image))
	}
	list := strings.Join(names, ", ")
	lacks := fmt.Sprintf("No BenchmarkDevicePolicy lets namespace %s use the container images %s on node %s.", namespace,
		list, node.Name)
	if len(lacking) == 1 {
		lacks = fmt.Sprintf("No BenchmarkDevicePolicy lets namespace %s use the container image %s on node %s.", namespace,
			list, node.Name)
	}
	if len(applying) > 0 {
		return mismatch("%s The storage administrator could add to spec.images of BenchmarkDevicePolicy %s: [%s].", lacks,
			applying[0].Name, list)
	}
	hint := policyHint(namespace, node, fmt.Sprintf("images: [%s]", list))
	return &ConsentError{Reason: v1alpha1.ReasonNoPolicy, Message: lacks + " The storage administrator could apply " +
		"this one: " + hint, Hint: hint}
}
