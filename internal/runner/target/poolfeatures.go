// SPDX-License-Identifier: Apache-2.0

package target

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"zfsbench.io/operator/internal/node/sandbox"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/storage/zfs"
)

const (
	// featuresPrefix begins the names of the snapshots that trySend takes. Names of workloads have no capitals, so their
	// snapshots never have the same name.
	featuresPrefix = "Features-"
	// quotaUser owns nothing in a dataset: no tool runs as this user.
	quotaUser = sandbox.User + 1
)

func (poolStorage) ownsFilesystem() bool { return true }

func (poolStorage) Removal() string { return "destroy pool" }

// addFeatures adds the features of a dataset that are tried out with OpenZFS's commands. It undoes its changes.
func (s poolStorage) addFeatures(ctx context.Context, t *Target, found *result.Features) error {
	var unknown []error
	for _, look := range []struct {
		name string
		at   func(context.Context, *Target, *result.Features) error
	}{{"journal", s.findIntentLog}, {"quotas", s.tryUserQuota}, {"growing and shrinking", s.tryQuota},
		{"sending", s.trySend}} {
		if err := look.at(ctx, t, found); err != nil {
			unknown = append(unknown, fmt.Errorf("%s: %w", look.name, err))
		}
	}
	return errors.Join(unknown...)
}

// findIntentLog finds out from the property sync whether the dataset uses an intent log.
func (s poolStorage) findIntentLog(ctx context.Context, t *Target, found *result.Features) error {
	properties, err := s.Pools.Get(ctx, t.dataset(), "sync")
	switch {
	case err != nil:
		return err
	case properties["sync"] == "disabled":
		found.Journal = result.JournalNone
	default:
		found.Journal = result.JournalIntentLog
	}
	return nil
}

// tryUserQuota sets a quota for a user, and tries to write more.
func (s poolStorage) tryUserQuota(ctx context.Context, t *Target, found *result.Features) error {
	if err := s.Pools.Operate(ctx, zfs.LimitUser(t.dataset(), quotaUser, 1)); err != nil {
		return err
	}
	var held *bool
	var problem error
	err := s.Bounded(ctx, func() error {
		held, problem = s.Baselines.HoldsQuota(s.Workspace.Target(), quotaUser, func() error { return s.Sync(ctx, t) })
		return nil
	})
	if err == nil {
		found.Quota, err = held, problem
	}
	return errors.Join(err, s.undo(ctx, zfs.LimitUser(t.dataset(), quotaUser, 0)))
}

// tryQuota halves the space that is left to the dataset with a quota, and restores it.
func (s poolStorage) tryQuota(ctx context.Context, t *Target, found *result.Features) error {
	before, err := s.room(ctx, t)
	if err != nil {
		return err
	}
	if err := s.Pools.Operate(ctx, zfs.LimitDataset(t.dataset(), before["used"]+before["available"]/2)); err != nil {
		return err
	}
	less, errLess := s.room(ctx, t)
	if err := errors.Join(errLess, s.undo(ctx, zfs.LimitDataset(t.dataset(), before["quota"]))); err != nil {
		return err
	}
	found.Shrink = new(less["available"] < before["available"]*3/4)
	after, err := s.room(ctx, t)
	if err == nil {
		found.Grow = new(after["available"] > before["available"]*3/4)
	}
	return err
}

// room is a dataset's used, available and quota in bytes; a quota of 0 means no limit.
func (s poolStorage) room(ctx context.Context, t *Target) (map[string]int64, error) {
	names := []string{"quota", "used", "available"}
	properties, err := s.Pools.Get(ctx, t.dataset(), names...)
	if err != nil {
		return nil, err
	}
	bytes := map[string]int64{}
	for _, name := range names {
		if bytes[name], err = strconv.ParseInt(properties[name], 10, 64); err != nil {
			return nil, fmt.Errorf("%s is %q, which is not a number", name, properties[name])
		}
	}
	return bytes, nil
}

// trySend sends the difference between two snapshots of the dataset, which is empty. The snapshots are recorded as long
// as they exist.
func (s poolStorage) trySend(ctx context.Context, t *Target, found *result.Features) error {
	before := t.Own.Snapshots
	ours := result.OwnedSnapshots{Dataset: t.dataset(), Prefix: featuresPrefix, Count: 2}
	t.Own.Snapshots = append(slices.Clone(before), ours)
	if err := s.Record(ctx, t.Own); err != nil {
		return err
	}
	err := s.sendBetween(ctx, ours)
	if err == nil {
		found.Send = new(true)
	}
	if left := s.undo(ctx, zfs.DestroySnapshots(ours.Dataset, ours.Name(1), ours.Name(2))); left != nil {
		return errors.Join(err, left)
	}
	t.Own.Snapshots = before
	return errors.Join(err, s.Record(ctx, t.Own))
}

// undo reverts a change, also when the time for finding features is over.
func (s poolStorage) undo(ctx context.Context, o zfs.Operation) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.Timings.KernelPatience)
	defer cancel()
	return s.Pools.Operate(ctx, o)
}

// sendBetween takes two snapshots, and sends the difference from the first to the second.
func (s poolStorage) sendBetween(ctx context.Context, of result.OwnedSnapshots) error {
	for i := range of.Count {
		if err := s.Pools.Operate(ctx, zfs.Snapshot(of.Dataset, of.Name(i+1))); err != nil {
			return err
		}
	}
	return s.Pools.Operate(ctx, zfs.SendChanges(of.Dataset, of.Name(1), of.Name(2)))
}
