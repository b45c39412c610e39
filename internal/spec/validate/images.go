// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"
	"regexp"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"zfsbench.io/operator/api/v1alpha1"
)

const (
	maxImageReference = 255
	maxPolicyImages   = 64
	// maxImages is how many different ones a benchmark may use: each is held by a container of its own, as long as the benchmark runs.
	maxImages = 4
)

var imagePattern = regexp.MustCompile(`^([a-z0-9][a-z0-9.-]*(:[0-9]{1,5})?/)?[a-z0-9]+([._-]+[a-z0-9]+)*(/[a-z0-9]+([._-]+[a-z0-9]+)*)*(:[A-Za-z0-9_][A-Za-z0-9._-]{0,127}(@sha256:[0-9a-f]{64})?|@sha256:[0-9a-f]{64})$`)

// imageReference checks the name of an image.
func imageReference(image v1alpha1.ImageReference, path *field.Path) field.ErrorList {
	switch {
	case len(image) > maxImageReference:
		return field.ErrorList{field.TooLong(path, string(image), maxImageReference)}
	case !imagePattern.MatchString(string(image)):
		return field.ErrorList{field.Invalid(path, image,
			"must be a container image with a tag or a digest, for example registry.example/tools/sqlite:3.46 or registry.example/tools/sqlite@sha256: and 64 hexadecimal digits")}
	}
	return nil
}

// policyImages checks the images that a policy lists.
func policyImages(images []v1alpha1.ImageReference, path *field.Path) field.ErrorList {
	errs := count(len(images), 0, maxPolicyImages, path)
	for i, image := range images {
		errs = append(errs, imageReference(image, path.Index(i))...)
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
