// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"maps"
	"slices"
	"time"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/node/monitor"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/runner/ownership"
	"zfsbench.io/operator/internal/storage/blockdev"
)

// target is what workloads run on: a pool with a dataset, or a baseline.
type target struct {
	trial   plan.Trial
	variant plan.Variant
	own     result.Ownership
	// verdicts are the guard's about its disks.
	verdicts []blockdev.Verdict
	// paths are the paths of its devices by name: a partition of a disk, or a file.
	paths map[string]string
	// counters are the counters of all block devices that it is on.
	counters []counter
	// prepared says which disks were discarded; none if that is not planned.
	prepared []result.PreparedDisk
	// parameters are the module parameters that were set, as the module then showed them.
	parameters map[string]string
	// array is the block device of the md array that a baseline is on; empty if it is on a partition. arrayMade is the
	// command that made it.
	array     string
	arrayMade []string
	// arrayBegan is when the array was there.
	arrayBegan time.Time
	// device is the block device that the workloads use: a volume, or a raw baseline; empty for a filesystem.
	device string
	// made is the command that made a baseline's filesystem.
	made []string
	// earlier is how many trials have run on it before this one.
	earlier int
	// offline are the paths, by name, of the devices that the scenario has taken out of use.
	offline map[string]string
	// sent are the datasets that operations have sent into, by workload.
	sent map[string]string
	// filled is how many bytes the operations that fill the pool have written.
	filled int64
	// times is how long it took to make it.
	times result.Times
	// claimed is the volume that was claimed from Kubernetes, while there is one.
	claimed *result.ClaimFacts
	// imports is how often the pool was exported and imported again.
	imports int
	// measured is what its workloads achieved, whether it counts or not.
	measured []result.Bandwidth
}

// counter is the block device, with counters of its own, that a partition or a file is on.
type counter struct {
	number monitor.DeviceNumber
	device result.OwnedDevice
	// name is the benchmark's for it.
	name string
}

// numbers are the block devices of the counters.
func (t *target) numbers() []monitor.DeviceNumber {
	var numbers []monitor.DeviceNumber
	for _, c := range t.counters {
		numbers = append(numbers, c.number)
	}
	return numbers
}

// baselineDevice is the block device that a baseline is on: a partition, or the md array.
func (t *target) baselineDevice() string {
	if t.array != "" {
		return t.array
	}
	return t.paths[t.variant.Baseline.Device()]
}

// blockDevices are those that a filesystem of a baseline keeps the kernel from giving to others.
func (t *target) blockDevices() []string {
	if t.array != "" {
		return []string{t.array}
	}
	return ownership.AllPaths(t.own)
}

// offlinePaths are the paths of the devices that have to be offline.
func (t *target) offlinePaths() []string { return slices.Sorted(maps.Values(t.offline)) }

func (t *target) pool() string { return t.own.PoolName }

// dataset is what the workloads run on: the benchmark's own, or the volume that the driver has made in it.
func (t *target) dataset() string {
	if t.claimed != nil {
		return t.claimed.Dataset
	}
	return t.parent()
}

// parent is the dataset that the benchmark makes.
func (t *target) parent() string { return t.own.PoolName + "/" + plan.BenchDataset }

func (t *target) isVolume() bool { return t.variant.Dataset.Type == v1alpha1.DatasetVolume }
