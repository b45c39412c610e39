// SPDX-License-Identifier: Apache-2.0

package zfs

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// Ashifts returns the actual ashift of each top-level vdev of a pool, in order. It reads the labels, because vdev
// properties exist only since 2.2. It reads one device of each vdev, or another one if that fails.
func (c *Client) Ashifts(ctx context.Context, pool string) ([]int, error) {
	paths, err := c.VdevPaths(ctx, pool)
	if err != nil {
		return nil, err
	}
	found := map[int]int{}
	seen := map[string]bool{}
	children := -1
	var failures []error
	for _, path := range paths {
		if len(found) == children {
			break
		}
		if seen[path] {
			continue
		}
		labels, err := c.Labels(ctx, path)
		if err != nil {
			failures = append(failures, err)
			continue
		}
		for _, label := range labels {
			if label.Pool != pool || label.TopID < 0 || label.Ashift == 0 {
				continue
			}
			found[label.TopID], children = label.Ashift, label.Children
			for _, sibling := range label.Paths {
				seen[sibling] = true
			}
		}
	}
	if len(found) == 0 || len(found) != children {
		return nil, fmt.Errorf("ashift of pool %s: %d of %d vdevs found: %w",
			pool, len(found), children, errors.Join(failures...))
	}
	var ashifts []int
	for _, id := range slices.Sorted(maps.Keys(found)) {
		ashifts = append(ashifts, found[id])
	}
	return ashifts, nil
}
