// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"errors"
	"fmt"
	"slices"

	"zfsbench.io/operator/api/v1alpha1"
)

// Images are the container images of the plan, by their number among plan.Images; *podvolume.Images is the real one.
type Images interface {
	// Attach makes the files of an image appear at a directory, read-only. It can be asked again.
	Attach(number int) (root string, err error)
}

// imageRoot is where the files of an image are; empty for no image.
func (e *Engine) imageRoot(image v1alpha1.ImageReference) (string, error) {
	if image == "" {
		return "", nil
	}
	if e.Images == nil {
		return "", fmt.Errorf("the image %s: %w", image, errNoImages)
	}
	root, err := e.Images.Attach(slices.Index(e.plan.Images(), image))
	if err != nil {
		return "", fmt.Errorf("find the files of the image %s: %w", image, err)
	}
	return root, nil
}

var errNoImages = errors.New("without Kubernetes there is nobody who pulls images: run it in a cluster")
