// SPDX-License-Identifier: Apache-2.0

package target

import (
	"context"
	"errors"
	"strconv"

	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/storage/zfs"
	"zfsbench.io/operator/internal/tools/fill"
)

// deferredSyncs is how many transaction groups it takes until freed space counts as free: OpenZFS holds it back for two
// more (TXG_DEFER_SIZE).
const deferredSyncs = 3

func (s poolStorage) Fills() Fillable { return s }

// Flush syncs until everything that was written or freed is counted.
func (s poolStorage) Flush(ctx context.Context, t *Target) error {
	for range deferredSyncs {
		if err := s.Pools.Sync(ctx, t.Pool()); err != nil {
			return err
		}
	}
	return nil
}

// Space is the pool's space for datasets.
func (s poolStorage) Space(ctx context.Context, t *Target) (fill.Space, error) {
	got, err := s.Pools.Get(ctx, t.Pool(), "used", "available")
	if err != nil {
		return fill.Space{}, err
	}
	used, errUsed := strconv.ParseInt(got["used"], 10, 64)
	available, errAvailable := strconv.ParseInt(got["available"], 10, 64)
	if err := errors.Join(errUsed, errAvailable); err != nil || used < 0 || available < 0 || used+available <= 0 {
		return fill.Space{}, errors.Join(&zfs.ParseError{What: "used and available of pool " + t.Pool(),
			Line: got["used"] + " " + got["available"]}, err)
	}
	return fill.Space{Used: used, Available: available}, nil
}

// Fullness is how full the pool is, according to zpool and to zfs.
func (s poolStorage) Fullness(ctx context.Context, t *Target) (result.PoolSpace, error) {
	space, err := s.Space(ctx, t)
	if err != nil {
		return result.PoolSpace{}, err
	}
	facts, err := s.Pools.PoolFacts(ctx, t.Pool(), t.dataset())
	if err != nil && facts.Health == "" {
		return result.PoolSpace{}, err
	}
	return result.PoolSpace{
		AllocatedBytes: facts.AllocatedBytes, CapacityPercent: facts.CapacityPercent,
		FragmentationPercent: facts.FragmentationPercent,
		UsedBytes:            space.Used, AvailableBytes: space.Available,
	}, nil
}
