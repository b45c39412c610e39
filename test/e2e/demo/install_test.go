// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/hack/devcluster/cluster"
)

func TestImageValues(t *testing.T) {
	images := cluster.Images{
		ManagerArchive: "/cache/image-manager-1f", ManagerReference: "localhost:5000/zfsbench/manager:dev",
		RunnerArchive: "/cache/image-runner-2f", RunnerReference: "localhost:5000/zfsbench/runner:dev",
	}
	want := "imageRegistry=," +
		"manager.image.repository=localhost:5000/zfsbench/manager,manager.image.tag=dev," +
		"runner.image.repository=localhost:5000/zfsbench/runner,runner.image.tag=dev," +
		"manager.podAnnotations.archive=image-manager-1f"
	if diff := cmp.Diff(want, imageValues(images)); diff != "" {
		t.Error(diff)
	}
}
