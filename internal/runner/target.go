// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/blockdev"
	"zfsbench.io/operator/internal/monitor"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
)

// target is what workloads run on: a pool with a dataset, or a baseline.
type target struct {
	trial   plan.Trial
	variant plan.Variant
	own     result.Ownership
	// verdicts are the guard's about its disks.
	verdicts []blockdev.Verdict
	// paths are those of its devices by name: a partition of a disk, or a file.
	paths map[string]string
	// counters are those of all block devices that it is on.
	counters []counter
	// prepared says which disks were discarded; none if that is not planned.
	prepared []result.PreparedDisk
	// parameters are the module parameters that were set, as the module then showed them.
	parameters map[string]string
	// device is the block device that the workloads use: a volume, or a raw baseline; empty for a filesystem.
	device string
	// made is the command that made a baseline's filesystem.
	made []string
	// measured is what its workloads achieved, whether it counts or not.
	measured []result.Bandwidth
}

// counter is the block device, with counters of its own, that a partition or a file is on.
type counter struct {
	number monitor.DeviceNumber
	device result.OwnedDevice
}

// numbers are the block devices of the counters.
func (t *target) numbers() []monitor.DeviceNumber {
	var numbers []monitor.DeviceNumber
	for _, c := range t.counters {
		numbers = append(numbers, c.number)
	}
	return numbers
}

func (t *target) pool() string { return t.own.PoolName }

func (t *target) dataset() string { return t.own.PoolName + "/" + benchDataset }

func (t *target) isVolume() bool { return t.variant.Dataset.Type == v1alpha1.DatasetVolume }
