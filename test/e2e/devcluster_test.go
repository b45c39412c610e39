// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e

import (
	"context"
	"slices"
	"testing"

	"zfsbench.io/operator/hack/devcluster/cluster"
)

// throttle slows disks of the development cluster down for the duration of a test. Disks of any other cluster stay as they are.
func throttle(t *testing.T, bytesPerSecond int64, disks ...disk) {
	t.Helper()
	options, err := cluster.DefaultOptions()
	if err != nil {
		t.Fatal(err)
	}
	c, err := cluster.Open(options)
	if err != nil || c.Kubeconfig() != suite.kubeconfig {
		t.Logf("not the development cluster, whose disks could be throttled: %v", err)
		return
	}
	t.Cleanup(c.Close)
	node, err := c.Node(suite.node.Name)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range disks {
		found := dataDisk(t, node, d)
		name, before := found.Name, found.Throttle
		if err := node.ThrottleDisk(t.Context(), name, cluster.Throttle{BytesPerSecond: bytesPerSecond}); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := node.ThrottleDisk(context.Background(), name, before); err != nil {
				t.Error(err)
			}
		})
	}
}

// dataDisk is the development cluster's description of a disk.
func dataDisk(t *testing.T, node *cluster.Node, d disk) cluster.Disk {
	t.Helper()
	all, err := node.Disks()
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(all, func(candidate cluster.Disk) bool { return candidate.Serial() == d.serial })
	if i < 0 {
		t.Fatalf("the development cluster has no disk with serial number %s", d.serial)
	}
	return all[i]
}
