// SPDX-License-Identifier: Apache-2.0

package target

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

// Target is where workloads run: a pool with a dataset, or a baseline.
type Target struct {
	Trial   plan.Trial
	Variant plan.Variant
	Own     result.Ownership
	// Verdicts are the guard's verdicts on its disks.
	Verdicts []blockdev.Verdict
	// Paths are the paths of its devices by name: a partition of a disk, or a file.
	Paths map[string]string
	// Counters are the block devices that it is on, with their counters.
	Counters []Counter
	// Prepared says which disks were discarded; none if that is not planned.
	Prepared []result.PreparedDisk
	// Parameters are the module parameters that were set, as the module then showed them.
	Parameters map[string]string
	// array is the block device of the md array that a baseline is on; empty if it is on a partition. arrayMade is the
	// command that made it.
	array     string
	arrayMade []string
	// arrayBegan is when the array was created and its first sync began.
	arrayBegan time.Time
	// Device is the block device that the workloads use: a volume, or a raw baseline; empty for a filesystem.
	Device string
	// made is the command that made a baseline's filesystem.
	made []string
	// Earlier is how many trials have run on it before this one.
	Earlier int
	// offline are the paths, by name, of the devices that the scenario has taken out of use.
	offline map[string]string
	// sent are the datasets into which operations have sent, by workload.
	sent map[string]string
	// Filled is how many bytes the operations that fill the pool have written.
	Filled int64
	// Times says how long it took to create the target.
	Times result.Times
	// Claimed is the volume that was claimed from Kubernetes, while there is one.
	Claimed *result.ClaimFacts
	// imports is how often the pool was exported and imported again.
	imports int
	// Measured are the bandwidths of its workloads, whether they count in the end or not.
	Measured []result.Bandwidth
}

// Counter is the block device that a partition or a file is on. The kernel keeps counters for it.
type Counter struct {
	Number monitor.DeviceNumber
	Device result.OwnedDevice
	// Name is its name in the benchmark.
	Name string
}

// Numbers are the block devices of the counters.
func (t *Target) Numbers() []monitor.DeviceNumber {
	var numbers []monitor.DeviceNumber
	for _, c := range t.Counters {
		numbers = append(numbers, c.Number)
	}
	return numbers
}

// baselineDevice is the block device that a baseline is on: a partition, or the md array.
func (t *Target) baselineDevice() string {
	if t.array != "" {
		return t.array
	}
	return t.Paths[t.Variant.Baseline.Device()]
}

// blockDevices are the devices that a baseline's filesystem keeps busy in the kernel.
func (t *Target) blockDevices() []string {
	if t.array != "" {
		return []string{t.array}
	}
	return ownership.AllPaths(t.Own)
}

// offlinePaths are the paths of the devices that have to be offline.
func (t *Target) offlinePaths() []string { return slices.Sorted(maps.Values(t.offline)) }

// Pool is the name of the pool; empty for a baseline.
func (t *Target) Pool() string { return t.Own.PoolName }

// dataset is the dataset that the workloads use: the benchmark's own, or the volume that the driver has made in it.
func (t *Target) dataset() string {
	if t.Claimed != nil {
		return t.Claimed.Dataset
	}
	return t.parent()
}

// parent is the dataset that the benchmark makes.
func (t *Target) parent() string { return t.Own.PoolName + "/" + plan.BenchDataset }

func (t *Target) isVolume() bool { return t.Variant.Dataset.Type == v1alpha1.DatasetVolume }
