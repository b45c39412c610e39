// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"zfsbench.io/operator/hack/devcluster/cluster"
)

// install puts the images of this checkout on the nodes and installs the chart, or upgrades it.
func (d demo) install(ctx context.Context) error {
	d.heading("Install the operator")
	images, err := cluster.BuildImages(ctx, d.options)
	if err != nil {
		return err
	}
	if err := d.cluster.Load(ctx, images.ManagerArchive, images.RunnerArchive); err != nil {
		return err
	}
	if err := d.tools.runKubectl(ctx, namespace, "apply", "--server-side", "-f", "-"); err != nil {
		return err
	}
	return d.tools.runHelm(ctx, "upgrade", "--install", release, chart, "--namespace", managerNamespace, "--wait",
		"--timeout", "5m",
		"--set", imageValues(images))
}

// imageValues are the chart's values for these images. The archive's name changes with the image and the tag does not,
// so it makes an upgrade restart a manager of an older build.
func imageValues(images cluster.Images) string {
	values := []string{"imageRegistry="}
	for _, image := range []struct{ name, reference string }{{"manager", images.ManagerReference},
		{"runner", images.RunnerReference}} {
		colon := strings.LastIndex(image.reference, ":")
		values = append(values,
			fmt.Sprintf("%s.image.repository=%s", image.name, image.reference[:colon]),
			fmt.Sprintf("%s.image.tag=%s", image.name, image.reference[colon+1:]))
	}
	return strings.Join(append(values, "manager.podAnnotations.archive="+filepath.Base(images.ManagerArchive)), ",")
}
