// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/runner/failure"
	"zfsbench.io/operator/internal/runner/ownership"
	"zfsbench.io/operator/internal/runner/target"
	"zfsbench.io/operator/internal/storage/blockdev"
)

// prepareDevices makes the files, and partitions and discards the disks. The guard checks each disk again, because
// recording may have taken long.
func (e *Engine) prepareDevices(ctx context.Context, t *target.Target) error {
	byName := map[string]result.OwnedDevice{}
	for _, d := range t.Own.Devices {
		byName[d.Name] = d
		if d.File == "" {
			continue
		}
		path, err := e.files().Create(d.Name, d.SizeBytes)
		if err != nil {
			return failure.Wrap(v1alpha1.ReasonPoolFailed, "make file device "+d.Name, err)
		}
		t.Paths[d.Name] = path
	}
	for _, verdict := range t.Verdicts {
		name := verdict.Want.Name
		made, err := e.partition(ctx, verdict.Disk, byName[name])
		if err != nil {
			return failure.Wrap(v1alpha1.ReasonPoolFailed, "partition device "+name, err)
		}
		if e.plan.Discards() {
			t.Prepared = append(t.Prepared, result.PreparedDisk{Name: name, Discarded: made.Discarded})
		}
		for i, p := range byName[name].Partitions {
			t.Paths[p.Name] = made.Paths[i]
		}
	}
	return e.findCounters(t)
}

// partition lets the guard write to a disk. When ctx has ended, it waits only for a limited time: nothing can end a
// discard that the kernel has accepted, however slow the disk is.
func (e *Engine) partition(ctx context.Context, disk blockdev.Disk, owned result.OwnedDevice) (blockdev.Partitioned,
	error) {
	var made blockdev.Partitioned
	err := e.host.Bounded(ctx, func() (err error) {
		made, err = e.Disks.Partition(ctx, disk, owned, e.plan.Discards())
		return err
	})
	if err != nil {
		return blockdev.Partitioned{}, err
	}
	return made, nil
}

// findCounters finds the block devices whose counters show what reached the trial's devices.
func (e *Engine) findCounters(t *target.Target) error {
	for _, d := range t.Own.Devices {
		for i, path := range ownership.Paths(d) {
			number, err := e.Node.BlockDevice(path)
			if err != nil {
				return failure.Wrap(v1alpha1.ReasonPoolFailed, "find the counters of device "+d.Name, err)
			}
			name := d.Name
			if i < len(d.Partitions) {
				name = d.Partitions[i].Name
			}
			t.Counters = append(t.Counters, target.Counter{Number: number, Device: d, Name: name})
		}
	}
	return nil
}
