// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"zfsbench.io/operator/hack/devcluster/cluster"
)

// devNode opens the development cluster and its node under test until the test ends. The error says that the tests run
// on another cluster.
func devNode(t *testing.T) (*cluster.Cluster, *cluster.Node, error) {
	t.Helper()
	options, err := cluster.DefaultOptions()
	if err != nil {
		t.Fatal(err)
	}
	c, err := cluster.Open(options)
	if err != nil {
		return nil, nil, fmt.Errorf("not on the development cluster: %w", err)
	}
	t.Cleanup(c.Close)
	if c.Kubeconfig() != suite.kubeconfig {
		return nil, nil, errors.New("not on the development cluster")
	}
	node, err := c.Node(suite.node.Name)
	if err != nil {
		t.Fatal(err)
	}
	return c, node, nil
}

// throttle slows disks of the development cluster down for the duration of a test. Disks of any other cluster stay as
// they are.
func throttle(t *testing.T, bytesPerSecond int64, disks ...disk) {
	t.Helper()
	_, node, err := devNode(t)
	if err != nil {
		t.Logf("the disks are not throttled: %v", err)
		return
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
