// SPDX-License-Identifier: Apache-2.0

package zfs

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"

	"zfsbench.io/operator/internal/result"
)

// PoolFacts returns the state of a pool and of a dataset in it, as far as measurements depend on it. A suspended pool
// is a *SuspendedError. The labels are read last: if that fails, the rest is still returned.
func (c *Client) PoolFacts(ctx context.Context, pool, dataset string) (result.PoolFacts, error) {
	if err := c.CheckState(pool); err != nil {
		return result.PoolFacts{}, fmt.Errorf("facts of pool %s: %w", pool, err)
	}
	poolProperties, err := c.GetPool(ctx, pool)
	if err != nil {
		return result.PoolFacts{}, fmt.Errorf("facts of pool %s: %w", pool, err)
	}
	if poolProperties["health"] == suspended {
		return result.PoolFacts{}, fmt.Errorf("facts of pool %s: %w", pool, &SuspendedError{Pool: pool})
	}
	datasetProperties, err := c.Get(ctx, dataset)
	if err != nil {
		return result.PoolFacts{}, fmt.Errorf("facts of pool %s: %w", pool, err)
	}
	facts, err := factsFrom(poolProperties, datasetProperties)
	if err != nil {
		return result.PoolFacts{}, fmt.Errorf("facts of pool %s: %w", pool, err)
	}
	facts.Ashift, err = c.Ashifts(ctx, pool)
	if err != nil {
		return facts, fmt.Errorf("facts of pool %s: %w", pool, err)
	}
	return facts, nil
}

// factsFrom parses the numbers in the properties. Fragmentation is -1 if OpenZFS does not know it.
func factsFrom(pool, dataset map[string]string) (result.PoolFacts, error) {
	read := numbers{}
	facts := result.PoolFacts{
		Health:               pool["health"],
		SizeBytes:            read.integer("size", pool["size"]),
		AllocatedBytes:       read.integer("allocated", pool["allocated"]),
		FragmentationPercent: -1,
		CapacityPercent:      int(read.integer("capacity", pool["capacity"])),
		DedupRatio:           read.decimal("dedupratio", pool["dedupratio"]),
		CompressRatio:        read.decimal("compressratio", dataset["compressratio"]),
		PoolProperties:       pool,
		DatasetProperties:    dataset,
	}
	if pool["fragmentation"] != "" {
		facts.FragmentationPercent = int(read.integer("fragmentation", pool["fragmentation"]))
	}
	return facts, errors.Join(read.failures...)
}

// numbers collects values that are not numbers from 0 up, so that callers check once.
type numbers struct{ failures []error }

func (n *numbers) integer(name, value string) int64 {
	number, err := strconv.ParseInt(value, 10, 64)
	if err != nil || number < 0 {
		number = 0
		n.failures = append(n.failures, &ParseError{What: "property " + name, Line: value})
	}
	return number
}

func (n *numbers) decimal(name, value string) float64 {
	number, err := strconv.ParseFloat(value, 64)
	if err != nil || number < 0 || math.IsNaN(number) || math.IsInf(number, 0) {
		number = 0
		n.failures = append(n.failures, &ParseError{What: "property " + name, Line: value})
	}
	return number
}
