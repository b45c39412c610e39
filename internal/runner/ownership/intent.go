// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"slices"
	"strings"

	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/runner/workspace"
)

// PoolComment is the UID in the form that a pool's comment has room for.
func PoolComment(uid string) string {
	digits := strings.ReplaceAll(uid, "-", "")
	return digits[:min(32, len(digits))]
}

// Intent is what a trial is about to own. newGUID makes the GUIDs of each disk's future partition table, and the UUIDs
// of a baseline's filesystem and md array.
func Intent(p plan.Plan, digest string, trial plan.Trial, v plan.Variant, ws workspace.Workspace,
	newGUID func() string) result.Ownership {
	own := result.Ownership{Version: result.Version, BenchmarkUID: p.Benchmark.UID, PlanDigest: digest,
		TrialIndex: trial.Index}
	if v.Baseline == nil {
		pool := plan.PoolName(p.Benchmark.UID, trial.Index)
		own.PoolName, own.PoolComment, own.Datasets = pool, PoolComment(p.Benchmark.UID),
			append([]string{pool}, datasetsOf(pool, v)...)
	} else {
		own.Baseline = v.Baseline.Kind()
	}
	if v.Claims() {
		// A volume of somebody else's class stays until the runner has seen that it is empty.
		own.Claim = &result.OwnedClaim{PoolTrial: trial.Index, Keep: v.Baseline != nil}
	}
	for _, d := range p.DevicesOf(v) {
		owned := result.OwnedDevice{Name: d.Name, SizeBytes: d.FileSizeBytes}
		if d.Path == "" {
			owned.File = ws.File(d.Name)
		} else {
			owned.Path, owned.Serial, owned.SizeBytes = d.Path, d.Serial, d.SizeBytes
			owned.DiskGUID, owned.Partitions = newGUID(), partitionsOf(d, newGUID)
		}
		own.Devices = append(own.Devices, owned)
	}
	if v.Baseline != nil {
		nameBaseline(own, v, p.PlacesOf(v), newGUID)
	}
	return own
}

// datasetsOf are the dataset of a variant and its children.
func datasetsOf(pool string, v plan.Variant) []string {
	names := []string{pool + "/" + plan.BenchDataset}
	for _, c := range v.Dataset.Children {
		names = append(names, names[0]+"/"+c.Name)
	}
	return names
}

// nameBaseline chooses the UUIDs of the filesystem and of the md array that will be in a baseline's partitions. That
// includes partitions that are added to its array later.
func nameBaseline(own result.Ownership, v plan.Variant, places []string, newGUID func() string) {
	var named result.OwnedPartition
	if v.Filesystem() != nil {
		named.FilesystemUUID = newGUID()
	}
	if v.Array() != nil {
		named.ArrayUUID = newGUID()
	}
	for _, d := range own.Devices {
		for i := range d.Partitions {
			if slices.Contains(places, d.Partitions[i].Name) {
				d.Partitions[i].FilesystemUUID, d.Partitions[i].ArrayUUID = named.FilesystemUUID, named.ArrayUUID
			}
		}
	}
}

// partitionsOf are the future partitions of a disk: one with the disk's name, unless the plan splits the disk.
func partitionsOf(d plan.Device, newGUID func() string) []result.OwnedPartition {
	if len(d.Partitions) == 0 {
		return []result.OwnedPartition{{Name: d.Name, GUID: newGUID()}}
	}
	var partitions []result.OwnedPartition
	for _, p := range d.Partitions {
		partitions = append(partitions, result.OwnedPartition{Name: p.Name, GUID: newGUID(), SizeBytes: p.SizeBytes})
	}
	return partitions
}
