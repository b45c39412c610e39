// SPDX-License-Identifier: Apache-2.0

package toolrun

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"zfsbench.io/operator/api/v1alpha1"
)

// Images are the container images of the plan, by their number among plan.Images; *podvolume.Images is the real one.
type Images interface {
	// Attach makes the files of an image appear at a directory, read-only. Until the context ends, it waits for a holder
	// of the image. It can be called again.
	Attach(ctx context.Context, number int) (root string, err error)
	// Check proves that the holder from which the image was attached still holds it.
	Check(number int) error
}

// AwaitImages waits for the images before anything else, because the time to pull them is not the benchmark's. If one
// is missing in the end, the workload that needs it fails. It returns an error only if the runner has to stop
// meanwhile.
func (t Runner) AwaitImages(ctx context.Context) error {
	if t.Images == nil {
		return nil
	}
	waiting, cancel := context.WithTimeout(ctx, t.PullPatience)
	defer cancel()
	for number, image := range t.Plan.Images() {
		_, err := t.Images.Attach(waiting, number)
		if err == nil {
			continue
		}
		if ctx.Err() != nil {
			return fmt.Errorf("wait for the image %s: %w", image, err)
		}
		t.Log.Warn("the files of an image are not there yet", "image", image, "error", err)
		return nil
	}
	return nil
}

// imageRoot is the directory with the files of an image; empty for no image.
func (t Runner) imageRoot(ctx context.Context, image v1alpha1.ImageReference) (string, error) {
	if image == "" {
		return "", nil
	}
	if t.Images == nil {
		return "", fmt.Errorf("the image %s: %w", image, errNoImages)
	}
	ctx, cancel := context.WithTimeout(ctx, t.ImagePatience)
	defer cancel()
	root, err := t.Images.Attach(ctx, slices.Index(t.Plan.Images(), image))
	if err != nil {
		return "", fmt.Errorf("find the files of the image %s: %w", image, err)
	}
	return root, nil
}

// checkImages proves, after a tool has ended, that it had the files of its images all the time.
func (t Runner) checkImages(images ...v1alpha1.ImageReference) error {
	for _, image := range images {
		if image == "" {
			continue
		}
		if err := t.Images.Check(slices.Index(t.Plan.Images(), image)); err != nil {
			return fmt.Errorf("the image %s was lost while its files were used: %w", image, err)
		}
	}
	return nil
}

var errNoImages = errors.New("images can be used only in Kubernetes, which pulls them: run the benchmark in a cluster")
