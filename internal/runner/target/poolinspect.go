// SPDX-License-Identifier: Apache-2.0

package target

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/runner/ownership"
	"zfsbench.io/operator/internal/text/human"
)

const (
	// dedupEntryBytes is how much memory zdb takes for each different block, with the allocator's overhead. zdb may take
	// one dedupMemoryPart-th of the node's memory.
	dedupEntryBytes = 256
	dedupMemoryPart = 4
)

// InspectOne runs one inspection, with its own deadline.
func (s poolStorage) InspectOne(ctx context.Context, t *Target, what v1alpha1.Inspection, of result.Sample,
	found *result.Inspected) error {
	late := fmt.Errorf("zdb had not ended after %s and was killed", human.Duration(s.Timings.InspectionDeadline))
	ctx, cancel := context.WithTimeoutCause(ctx, s.Timings.InspectionDeadline, late)
	defer cancel()
	var err error
	switch what {
	case v1alpha1.InspectFragmentation:
		found.Allocation, err = s.allocation(ctx, t)
	case v1alpha1.InspectSimulatedDedup:
		found.SimulatedDedup, err = s.simulatedDedup(ctx, t, of)
	default:
		return errors.New("this runner does not know this inspection")
	}
	if err != nil && errors.Is(context.Cause(ctx), late) {
		return late
	}
	return err
}

// allocation adds up the dataset and its children.
func (s poolStorage) allocation(ctx context.Context, t *Target) (*result.Allocation, error) {
	var all result.Allocation
	for _, dataset := range t.deepestFirst() {
		one, err := s.Pools.Allocation(ctx, dataset, ownership.SearchPaths(t.Own.Devices))
		if err != nil {
			return nil, err
		}
		all = all.Plus(one)
	}
	return &all, nil
}

// simulatedDedup refuses if zdb would need too much of the node's memory: nothing else limits zdb.
func (s poolStorage) simulatedDedup(ctx context.Context, t *Target, of result.Sample) (*result.SimulatedDedup, error) {
	node, err := s.Node.Facts()
	if err != nil {
		return nil, err
	}
	need, known := dedupMemory(of.Pool)
	if !known {
		return nil, errors.New("it is not known how much memory zdb would take: the block size or the size of the " +
			"datasets could not be read")
	}
	if need > float64(node.MemoryBytes)/dedupMemoryPart {
		return nil, fmt.Errorf("zdb would take about %s of memory for the blocks of the pool, and the node has %s: at "+
			"most a quarter may be taken", human.Bytes(need), human.Bytes(float64(node.MemoryBytes)))
	}
	factors, err := s.Pools.SimulatedDedup(ctx, t.Pool(), ownership.SearchPaths(t.Own.Devices))
	if err != nil {
		return nil, err
	}
	return &factors, nil
}

// dedupMemory is how much memory zdb takes in the worst case: all data is in blocks of the datasets' smallest block
// size, and all blocks are different. It counts data before compression, because each block has an entry, however small
// it is compressed. known is false if the facts are not enough.
func dedupMemory(facts result.PoolFacts) (bytes float64, known bool) {
	block := int64(0)
	smallest := func(properties map[string]string) {
		for _, name := range []string{"recordsize", "volblocksize"} {
			if size, err := v1alpha1.ParseBlockSize(properties[name]); err == nil && (block == 0 || size < block) {
				block = size
			}
		}
	}
	smallest(facts.DatasetProperties)
	for _, c := range facts.Children {
		smallest(c.Properties)
	}
	// logicalused includes the children.
	logical, err := strconv.ParseInt(facts.DatasetProperties["logicalused"], 10, 64)
	if block == 0 || err != nil {
		return 0, false
	}
	return float64(max(logical, facts.AllocatedBytes)) / float64(block) * dedupEntryBytes, true
}
