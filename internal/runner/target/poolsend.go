// SPDX-License-Identifier: Apache-2.0

package target

import (
	"context"
	"slices"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/storage/zfs"
)

// These prefixes begin the names of datasets that operations create next to the benchmark's dataset; the workload's
// name follows. No such name can be the dataset's.
const (
	receivedPrefix = "received-"
	clonePrefix    = "clone-"
)

// ownSnapshot records a snapshot of the dataset, with everything that will be created from it (also), and takes it.
func (s poolStorage) ownSnapshot(ctx context.Context, t *Target, workload string,
	also func(own *result.Ownership)) (result.OwnedSnapshots, error) {
	ours := result.OwnedSnapshots{Dataset: t.dataset(), Prefix: workload + "-", Count: 1}
	t.Own.Snapshots = append(slices.Clone(t.Own.Snapshots), ours)
	also(&t.Own)
	if err := s.Record(ctx, t.Own); err != nil {
		return ours, err
	}
	return ours, s.Pools.Operate(ctx, zfs.Snapshot(ours.Dataset, ours.Name(1)))
}

// send sends the dataset into a new dataset. With since, it sends only what has changed since that workload's send,
// into the dataset of the series' first send. Its rate is the stream's.
func (s poolStorage) send(ctx context.Context, t *Target, workload, since string) (Operated, error) {
	into, isNew := t.sent[since], since == ""
	if isNew {
		into = t.Pool() + "/" + receivedPrefix + workload
	}
	ours, err := s.ownSnapshot(ctx, t, workload, func(own *result.Ownership) {
		own.Snapshots = append(own.Snapshots, result.OwnedSnapshots{Dataset: into, Prefix: workload + "-", Count: 1})
		if isNew {
			own.Datasets = append(slices.Clone(own.Datasets), into)
		}
	})
	if err != nil {
		return Operated{}, err
	}
	send := zfs.Send{Dataset: ours.Dataset, Snapshot: ours.Name(1), Into: into,
		Properties: TextProperties(t.Variant.Dataset.Properties)}
	if !isNew {
		send.Since = result.OwnedSnapshots{Prefix: since + "-"}.Name(1)
	}
	var bytes int64
	phase, err := s.timed(v1alpha1.OperationSend, func() (err error) {
		bytes, err = s.Pools.SendReceive(ctx, send)
		return err
	})
	if t.sent == nil {
		t.sent = map[string]string{}
	}
	t.sent[workload] = into
	phase = withBytes(phase, bytes, false)
	phase.Copies = true
	return Operated{slices.Concat(send.SendArgv(), []string{"|"}, send.ReceiveArgv()), []result.Phase{phase}}, err
}

// clone makes clones of a snapshot.
func (s poolStorage) clone(ctx context.Context, t *Target, workload string, count int) (Operated, error) {
	clones := result.OwnedClones{Prefix: t.Pool() + "/" + clonePrefix + workload + "-", Count: count}
	ours, err := s.ownSnapshot(ctx, t, workload,
		func(own *result.Ownership) { own.Clones = append(slices.Clone(own.Clones), clones) })
	if err != nil {
		return Operated{}, err
	}
	each := func(i int) zfs.Operation { return zfs.Clone(ours.Dataset, ours.Name(1), clones.Name(i)) }
	phase, err := s.repeated(ctx, v1alpha1.OperationClone, count, each)
	return Operated{each(count).Argv(), []result.Phase{phase}}, err
}

// repeated runs an operation count times, and times each run.
func (s poolStorage) repeated(ctx context.Context, name v1alpha1.Operation, count int,
	each func(i int) zfs.Operation) (result.Phase, error) {
	var latencies result.Recorder
	phase, err := s.timed(name, func() error {
		for i := range count {
			begin := s.Now()
			if err := s.Pools.Operate(ctx, each(i+1)); err != nil {
				return err
			}
			latencies.Record(s.Now().Sub(begin).Nanoseconds())
		}
		return nil
	})
	phase.IOs, phase.IOPS, phase.Latency = int64(count), float64(count)/float64(phase.RuntimeNanoseconds)*1e9,
		latencies.Latency()
	return phase, err
}
