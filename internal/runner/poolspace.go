// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"errors"
	"strconv"

	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/storage/zfs"
	"zfsbench.io/operator/internal/tools/fill"
)

// deferredSyncs is how many transaction groups it takes until what was freed counts as free: OpenZFS keeps it for two
// more (TXG_DEFER_SIZE).
const deferredSyncs = 3

func (s poolStorage) fills() fillable { return s }

// flush waits for as many transaction groups as it takes until all counts.
func (s poolStorage) flush(ctx context.Context, t *target) error {
	for range deferredSyncs {
		if err := s.Pools.Sync(ctx, t.pool()); err != nil {
			return err
		}
	}
	return nil
}

// space is what the pool gives to datasets.
func (s poolStorage) space(ctx context.Context, t *target) (fill.Space, error) {
	got, err := s.Pools.Get(ctx, t.pool(), "used", "available")
	if err != nil {
		return fill.Space{}, err
	}
	used, errUsed := strconv.ParseInt(got["used"], 10, 64)
	available, errAvailable := strconv.ParseInt(got["available"], 10, 64)
	if err := errors.Join(errUsed, errAvailable); err != nil || used < 0 || available < 0 || used+available <= 0 {
		return fill.Space{}, errors.Join(&zfs.ParseError{What: "used and available of pool " + t.pool(),
			Line: got["used"] + " " + got["available"]}, err)
	}
	return fill.Space{Used: used, Available: available}, nil
}

// fullness is how full the pool is, by zpool and by zfs.
func (s poolStorage) fullness(ctx context.Context, t *target) (result.PoolSpace, error) {
	space, err := s.space(ctx, t)
	if err != nil {
		return result.PoolSpace{}, err
	}
	facts, err := s.Pools.PoolFacts(ctx, t.pool(), t.dataset())
	if err != nil && facts.Health == "" {
		return result.PoolSpace{}, err
	}
	return result.PoolSpace{
		AllocatedBytes: facts.AllocatedBytes, CapacityPercent: facts.CapacityPercent,
		FragmentationPercent: facts.FragmentationPercent,
		UsedBytes:            space.Used, AvailableBytes: space.Available,
	}, nil
}
