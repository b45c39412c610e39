// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"errors"
	"fmt"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/zfs"
)

// poolTool is what samples call the tool of operations on a pool.
const poolTool = "zpool"

// operated is an operation on a pool that ended well.
type operated struct {
	argv   []string
	phases []result.Phase
}

// operate does with the pool what a workload asks for, and times it. The pool is proved to be ours right before.
func (e *Engine) operate(ctx context.Context, t *target, run plan.Run, o runOptions) (toolRun, error) {
	s, w := poolStorage{e}, run.Workload
	do := s.operationOf(w)
	if do == nil && w.Pool.Fill == nil || t.own.Baseline != "" {
		return toolRun{}, fmt.Errorf("this runner cannot do that with %s", whatIs(t.own))
	}
	if err := s.proveOwn(ctx, t); err != nil {
		return toolRun{}, err
	}
	if w.Pool.Fill != nil {
		return s.fill(ctx, t, run, o)
	}
	ctx, cancel := e.withToolDeadline(ctx, w, poolTool)
	defer cancel()
	o.ready()
	done, err := do(ctx, t)
	if err != nil {
		if stopped := context.Cause(ctx); stopped != nil && !errors.Is(err, stopped) {
			err = errors.Join(stopped, err)
		}
		return toolRun{}, err
	}
	sample := result.Sample{Tool: poolTool, ToolVersion: poolTool + "-" + e.userland, Phases: done.phases}
	for _, p := range done.phases {
		sample.RuntimeNanoseconds += p.RuntimeNanoseconds
	}
	return toolRun{argv: done.argv, sample: sample}, nil
}

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

// timed is a phase that counts as one operation, without a rate in bytes.
func (e *Engine) timed(name v1alpha1.Operation, do func() error) (result.Phase, error) {
	begin := e.Now()
	err := do()
	took := max(1, e.Now().Sub(begin).Nanoseconds())
	p := result.Phase{Name: string(name), Operation: result.Operation{IOs: 1, RuntimeNanoseconds: took}}
	p.IOPS = 1e9 / float64(took)
	return p, err
}

// moving says how many bytes a phase has moved, if any are known: then they are its rate.
func moving(p result.Phase, bytes int64, reads bool) result.Phase {
	if bytes > 0 {
		p.IOs, p.IOPS = 0, 0
		p.Bytes, p.Reads, p.BandwidthBytesPerSecond = bytes, reads, float64(bytes)/float64(p.RuntimeNanoseconds)*1e9
	}
	return p
}

// trim tells the disks which space is free.
func (s poolStorage) trim(ctx context.Context, t *target) (operated, error) {
	command := zfs.Trim(t.pool())
	phase, err := s.timed(v1alpha1.OperationTrim, func() error { return s.Pools.Operate(ctx, command) })
	return operated{command.Argv(), []result.Phase{phase}}, err
}

// reimporter is storage that can be let go and taken back.
type reimporter interface {
	letGo(ctx context.Context, t *target) error
	takeBack(ctx context.Context, t *target) error
}

// reimport exports the pool and imports it, each with what is mounted of it.
func (s poolStorage) reimport(ctx context.Context, t *target) (operated, error) {
	storage, can := s.storage(t).(reimporter)
	if !can {
		return operated{}, errors.New("it cannot be exported")
	}
	exported, err := s.timed(v1alpha1.OperationExport, func() error { return storage.letGo(ctx, t) })
	if err != nil {
		return operated{}, err
	}
	imported, err := s.timed(v1alpha1.OperationImport, func() error { return storage.takeBack(ctx, t) })
	return operated{[]string{"zpool", "export", t.pool(), "&&", "zpool", "import", t.own.PoolGUID}, []result.Phase{exported, imported}}, err
}

// snapshot takes snapshots, which are recorded before: a pool that holds what is not recorded is not taken away.
func (s poolStorage) snapshot(ctx context.Context, t *target, workload string, count int) (operated, error) {
	ours := result.OwnedSnapshots{Dataset: t.dataset(), Prefix: workload + "-", Count: count}
	t.own.Snapshots = append(t.own.Snapshots, ours)
	if err := s.record(ctx, t.own); err != nil {
		return operated{}, err
	}
	phase, err := s.repeated(ctx, v1alpha1.OperationSnapshot, count, func(i int) zfs.Operation { return zfs.Snapshot(ours.Dataset, ours.Name(i)) })
	return operated{zfs.Snapshot(ours.Dataset, ours.Name(count)).Argv(), []result.Phase{phase}}, err
}
