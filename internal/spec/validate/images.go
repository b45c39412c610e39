// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/text/fields"
)

const (
	maxPolicyImages = 64
	// maxImages is how many different ones a benchmark may use: each is held by a container of its own, as long as the benchmark runs.
	maxImages = 4
)

// policyImages checks the images that a policy lists.
func policyImages(images []v1alpha1.ImageReference, path *field.Path) field.ErrorList {
	errs := fields.Count(len(images), 0, maxPolicyImages, path)
	for i, image := range images {
		errs = append(errs, fields.ImageReference(string(image), path.Index(i))...)
		if slices.Contains(images[:i], image) {
			errs = append(errs, field.Duplicate(path.Index(i), image))
		}
	}
	return errs
}

// images checks how many different ones the workloads of a benchmark use.
func images(ws []v1alpha1.Workload, path *field.Path) field.ErrorList {
	different := map[v1alpha1.ImageReference]bool{}
	for _, w := range ws {
		if image := w.Image(); image != "" {
			different[image] = true
		}
	}
	if n := len(different); n > maxImages {
		return field.ErrorList{field.Invalid(path, n, fmt.Sprintf("the workloads use too many different images: at most %d", maxImages))}
	}
	return nil
}
