// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"time"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/storage/filesystem"
	"zfsbench.io/operator/internal/storage/mdraid"
	"zfsbench.io/operator/internal/tools"
)

// baselineSpace compares what the workloads store with the filesystem, or with the partition, array or volume itself.
func baselineSpace(p Expanded, v Variant) Space {
	switch b := v.Baseline; {
	case b.Filesystem != nil:
		return EstimateFilesystem(p, v)
	case b.PersistentVolume != nil:
		return claimSpace(p.WorkloadsOn(v), *b.PersistentVolume)
	}
	return rawSpace(p.WorkloadsOn(v), roomOf(p.Plan, *v.Baseline))
}

// roomOf is the size of the partition or md array that a baseline is on. The size of an array is known only roughly.
func roomOf(p Plan, b v1alpha1.Baseline) mdraid.Room {
	smallest := smallestDevice(p, b)
	if array := b.Array(); array != nil {
		return mdraid.RoomOf(*array, smallest)
	}
	return mdraid.Room{Least: smallest, Most: smallest}
}

// smallestDevice is the size of the smallest device of a baseline.
func smallestDevice(p Plan, b v1alpha1.Baseline) int64 {
	sizes := vdevBytes(p.Devices)
	var smallest int64
	for i, name := range b.Devices() {
		if i == 0 || sizes[name] < smallest {
			smallest = sizes[name]
		}
	}
	return smallest
}

func filesystemSpace(workloads []v1alpha1.Workload, spec v1alpha1.FilesystemSpec, room mdraid.Room) Space {
	// These filesystems do not compress by default, so what is certain for ZFS without compression is certain here.
	stored := func(workloads []v1alpha1.Workload) (all, certain float64) {
		return fileContents(workloads, v1alpha1.DatasetSpec{})
	}
	space := Space{DeviceBytes: room.Least, Fit: FitMaybe}
	kind, known := filesystem.Of(spec.Type)
	if known {
		space.UsableBytes = kind.UsableBytes(room.Least)
	}
	all, certain := withOperations(workloads, stored, float64(space.UsableBytes), float64(room.Most))
	space.NeededBytes = whole(all + metadataBytes)
	switch {
	case space.NeededBytes <= space.UsableBytes:
		space.Fit = FitYes
	case certain > float64(room.Most):
		space.Fit = FitNo
	}
	return space
}

// claimSpace is the space on a volume that another driver makes, with an unknown filesystem: most filesystems reserve
// less than a tenth.
func claimSpace(workloads []v1alpha1.Workload, claim v1alpha1.PersistentVolumeBaseline) Space {
	size := claim.Size.Value()
	room := mdraid.Room{Least: size, Most: size}
	if claim.VolumeMode == v1alpha1.VolumeBlock {
		return rawSpace(workloads, room)
	}
	space := filesystemSpace(workloads, v1alpha1.FilesystemSpec{}, room)
	space.UsableBytes = size
	if space.NeededBytes <= size/10*9 && space.Fit == FitMaybe {
		space.Fit = FitYes
	}
	return space
}

// rawSpace is the space on a block device, where each job has its own part.
func rawSpace(workloads []v1alpha1.Workload, room mdraid.Room) Space {
	space := Space{DeviceBytes: room.Least, UsableBytes: room.Least, Fit: FitYes}
	for _, w := range workloads {
		if w.Fio != nil {
			space.NeededBytes = max(space.NeededBytes, whole(workloadBytes(w)))
		}
	}
	switch {
	case space.NeededBytes > room.Most:
		space.Fit = FitNo
	case space.NeededBytes > room.Least:
		space.Fit = FitMaybe
	}
	return space
}

// Filesystem is the filesystem other than ZFS that a variant's workloads run on, in a partition, on an md array or on a
// volume; nil for none.
func (v Variant) Filesystem() *v1alpha1.FilesystemSpec {
	switch {
	case v.Baseline != nil && v.Baseline.Filesystem != nil:
		return &v.Baseline.Filesystem.FilesystemSpec
	case v.Baseline == nil:
		return v.Dataset.OtherFilesystem()
	}
	return nil
}

// EstimateFilesystem compares what the workloads store with the filesystem of a variant that has one. DeviceBytes is
// the size of its partition, array or volume.
func EstimateFilesystem(p Expanded, v Variant) Space {
	spec := v.Filesystem()
	if v.Baseline != nil {
		return filesystemSpace(p.WorkloadsOn(v), *spec, roomOf(p.Plan, *v.Baseline))
	}
	size, _ := v.Dataset.Room()
	return filesystemSpace(p.WorkloadsOn(v), *spec, mdraid.Room{Least: size, Most: size})
}

// formatting is how long it takes to make the filesystem on a slow disk, with nothing left to initialise later; of
// several filesystems the longest.
func formatting(p Expanded) time.Duration {
	most := 0.0
	for _, v := range p.Variants {
		spec := v.Filesystem()
		if spec == nil {
			continue
		}
		if kind, known := filesystem.Of(spec.Type); known {
			most = max(most, float64(kind.InitialBytes(EstimateFilesystem(p, v).DeviceBytes)))
		}
	}
	return tools.AtRate(most, tools.SlowBytesPerSecond).Round(time.Second)
}

// syncing is how long slow disks take for the first sync of an md array, all disks at the same time; of several arrays
// the longest.
func syncing(p Plan) time.Duration {
	most := 0.0
	for _, v := range p.Variants {
		if array := v.Array(); array != nil {
			most = max(most, float64(mdraid.SyncBytes(*array, smallestDevice(p, *v.Baseline))))
		}
	}
	return tools.AtRate(most, tools.SlowBytesPerSecond).Round(time.Second)
}
