// SPDX-License-Identifier: Apache-2.0

package target

import (
	"context"
	"errors"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/storage/zfs"
)

// poolTool is the name, in samples, of the tool of operations on a pool.
const poolTool = "zpool"

// OperationOf is the operation that a workload requests; nil if this runner does not know it.
func (s poolStorage) OperationOf(w v1alpha1.Workload) func(context.Context, *Target) (Operated, error) {
	switch o := w.OnPool(); {
	case o == nil:
		return nil
	case o.Scrub != nil:
		return s.scrub
	case o.Trim != nil:
		return s.trim
	case o.Reimport != nil:
		return s.reimport
	case o.Snapshot != nil:
		return func(ctx context.Context, t *Target) (Operated, error) {
			return s.snapshot(ctx, t, w.Name, int(max(1, o.Snapshot.Count)))
		}
	case o.Offline != nil:
		return func(ctx context.Context, t *Target) (Operated, error) { return s.offline(ctx, t, o.Offline.Device) }
	case o.Online != nil:
		return func(ctx context.Context, t *Target) (Operated, error) { return s.online(ctx, t, o.Online.Device) }
	case o.Replace != nil:
		return func(ctx context.Context, t *Target) (Operated, error) { return s.replace(ctx, t, *o.Replace) }
	case o.Send != nil:
		return func(ctx context.Context, t *Target) (Operated, error) { return s.send(ctx, t, w.Name, o.Send.Since) }
	case o.Clone != nil:
		return func(ctx context.Context, t *Target) (Operated, error) {
			return s.clone(ctx, t, w.Name, int(max(1, o.Clone.Count)))
		}
	}
	return nil
}

func (s poolStorage) OperationTool(v1alpha1.Workload) (name, version string) {
	return poolTool, poolTool + "-" + s.Userland
}

// proveOwn returns nil if the target's pool is imported and is the recorded one.
func (s poolStorage) proveOwn(ctx context.Context, t *Target) error {
	pool, imported, err := s.findPool(ctx, t.Pool())
	if err == nil && !imported {
		err = errors.New("the pool is no longer imported")
	}
	if err == nil && t.Own.PoolGUID == "" {
		err = errors.New("no GUID is recorded for it")
	}
	if err == nil {
		err = s.prove(ctx, t.Own, pool)
	}
	if err != nil {
		return notOurs(t.Pool(), err)
	}
	return nil
}

// trim discards the free space of the pool.
func (s poolStorage) trim(ctx context.Context, t *Target) (Operated, error) {
	command := zfs.Trim(t.Pool())
	phase, err := s.timed(v1alpha1.OperationTrim, func() error { return s.Pools.Operate(ctx, command) })
	return Operated{command.Argv(), []result.Phase{phase}}, err
}

// reimporter is storage that can be detached and attached again.
type reimporter interface {
	detach(ctx context.Context, t *Target) error
	reattach(ctx context.Context, t *Target) error
}

// reimport exports and imports the pool. The times include unmounting and mounting.
func (s poolStorage) reimport(ctx context.Context, t *Target) (Operated, error) {
	storage, can := s.Storage(t).(reimporter)
	if !can {
		return Operated{}, errors.New("it cannot be exported")
	}
	exported, err := s.timed(v1alpha1.OperationExport, func() error { return storage.detach(ctx, t) })
	if err != nil {
		return Operated{}, err
	}
	imported, err := s.timed(v1alpha1.OperationImport, func() error { return storage.reattach(ctx, t) })
	return Operated{[]string{"zpool", "export", t.Pool(), "&&", "zpool", "import", t.Own.PoolGUID},
		[]result.Phase{exported, imported}}, err
}

// snapshot takes snapshots. It records them first: a pool that holds anything unrecorded is not torn down.
func (s poolStorage) snapshot(ctx context.Context, t *Target, workload string, count int) (Operated, error) {
	ours := result.OwnedSnapshots{Dataset: t.dataset(), Prefix: workload + "-", Count: count}
	t.Own.Snapshots = append(t.Own.Snapshots, ours)
	if err := s.Record(ctx, t.Own); err != nil {
		return Operated{}, err
	}
	phase, err := s.repeated(ctx, v1alpha1.OperationSnapshot, count,
		func(i int) zfs.Operation { return zfs.Snapshot(ours.Dataset, ours.Name(i)) })
	return Operated{zfs.Snapshot(ours.Dataset, ours.Name(count)).Argv(), []result.Phase{phase}}, err
}
