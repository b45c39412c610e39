// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"zfsbench.io/operator/api/v1alpha1"
)

// maxImages is how many different ones a benchmark may use: each is held by a container of its own, as long as the
// benchmark runs.
const maxImages = 4

// images checks how many different ones the workloads of a benchmark use.
func images(ws []v1alpha1.Workload, path *field.Path) field.ErrorList {
	different := map[v1alpha1.ImageReference]bool{}
	for _, w := range ws {
		if image := w.Image(); image != "" {
			different[image] = true
		}
	}
	if n := len(different); n > maxImages {
		return field.ErrorList{field.Invalid(path, n,
			fmt.Sprintf("the workloads use too many different images: at most %d", maxImages))}
	}
	return nil
}
