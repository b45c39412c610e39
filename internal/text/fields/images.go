// SPDX-License-Identifier: Apache-2.0

package fields

import (
	"regexp"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

const maxImageReference = 255

var imagePattern = regexp.MustCompile(
	`^([a-z0-9][a-z0-9.-]*(:[0-9]{1,5})?/)?[a-z0-9]+([._-]+[a-z0-9]+)*(/[a-z0-9]+([._-]+[a-z0-9]+)*)*(:[A-Za-z0-9_][A-Za-z0-9._-]{0,127}(@sha256:[0-9a-f]{64})?|@sha256:[0-9a-f]{64})$`,
)

// ImageReference checks the name of an image.
func ImageReference(image string, path *field.Path) field.ErrorList {
	switch {
	case len(image) > maxImageReference:
		return field.ErrorList{field.TooLong(path, image, maxImageReference)}
	case !imagePattern.MatchString(image):
		return field.ErrorList{field.Invalid(path, image,
			"must be a container image with a tag or a digest, for example registry.example/tools/sqlite:3.46 or "+
				"registry.example/tools/sqlite@sha256: and 64 hexadecimal digits")}
	}
	return nil
}
