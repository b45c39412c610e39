// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"errors"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/storage/zfs"
)

// poolTool is what samples call the tool of operations on a pool.
const poolTool = "zpool"

// operationOf is what a workload asks for; nil if this runner does not know it.
func (s poolStorage) operationOf(w v1alpha1.Workload) func(context.Context, *target) (operated, error) {
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
		return func(ctx context.Context, t *target) (operated, error) {
			return s.snapshot(ctx, t, w.Name, int(max(1, o.Snapshot.Count)))
		}
	case o.Offline != nil:
		return func(ctx context.Context, t *target) (operated, error) { return s.offline(ctx, t, o.Offline.Device) }
	case o.Online != nil:
		return func(ctx context.Context, t *target) (operated, error) { return s.online(ctx, t, o.Online.Device) }
	case o.Replace != nil:
		return func(ctx context.Context, t *target) (operated, error) { return s.replace(ctx, t, *o.Replace) }
	case o.Send != nil:
		return func(ctx context.Context, t *target) (operated, error) { return s.send(ctx, t, w.Name, o.Send.Since) }
	case o.Clone != nil:
		return func(ctx context.Context, t *target) (operated, error) {
			return s.clone(ctx, t, w.Name, int(max(1, o.Clone.Count)))
		}
	}
	return nil
}

func (s poolStorage) operationTool(v1alpha1.Workload) (name, version string) {
	return poolTool, poolTool + "-" + s.userland
}

// proveOwn returns nil if the target's pool is imported and the recorded one.
func (s poolStorage) proveOwn(ctx context.Context, t *target) error {
	pool, imported, err := s.findPool(ctx, t.pool())
	if err == nil && !imported {
		err = errors.New("the pool is not imported any more")
	}
	if err == nil && t.own.PoolGUID == "" {
		err = errors.New("no GUID is recorded for it")
	}
	if err == nil {
		err = s.prove(ctx, t.own, pool)
	}
	if err != nil {
		return notOurs(t.pool(), err)
	}
	return nil
}

// trim discards the free space of the pool.
func (s poolStorage) trim(ctx context.Context, t *target) (operated, error) {
	command := zfs.Trim(t.pool())
	phase, err := s.timed(v1alpha1.OperationTrim, func() error { return s.Pools.Operate(ctx, command) })
	return operated{command.Argv(), []result.Phase{phase}}, err
}

// reimporter is storage that can be detached and attached again.
type reimporter interface {
	detach(ctx context.Context, t *target) error
	reattach(ctx context.Context, t *target) error
}

// reimport exports the pool and imports it, each with what is mounted of it.
func (s poolStorage) reimport(ctx context.Context, t *target) (operated, error) {
	storage, can := s.storage(t).(reimporter)
	if !can {
		return operated{}, errors.New("it cannot be exported")
	}
	exported, err := s.timed(v1alpha1.OperationExport, func() error { return storage.detach(ctx, t) })
	if err != nil {
		return operated{}, err
	}
	imported, err := s.timed(v1alpha1.OperationImport, func() error { return storage.reattach(ctx, t) })
	return operated{[]string{"zpool", "export", t.pool(), "&&", "zpool", "import", t.own.PoolGUID},
		[]result.Phase{exported, imported}}, err
}

// snapshot takes snapshots, which are recorded before: a pool that holds what is not recorded is not torn down.
func (s poolStorage) snapshot(ctx context.Context, t *target, workload string, count int) (operated, error) {
	ours := result.OwnedSnapshots{Dataset: t.dataset(), Prefix: workload + "-", Count: count}
	t.own.Snapshots = append(t.own.Snapshots, ours)
	if err := s.record(ctx, t.own); err != nil {
		return operated{}, err
	}
	phase, err := s.repeated(ctx, v1alpha1.OperationSnapshot, count,
		func(i int) zfs.Operation { return zfs.Snapshot(ours.Dataset, ours.Name(i)) })
	return operated{zfs.Snapshot(ours.Dataset, ours.Name(count)).Argv(), []result.Phase{phase}}, err
}
