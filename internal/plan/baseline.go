// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"time"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/filesystem"
)

// baselineSpace holds what the workloads store against a filesystem in the partition, or against the partition itself.
func baselineSpace(p Plan, v Variant) Space {
	if v.Baseline.Filesystem != nil {
		return EstimateFilesystem(p, v)
	}
	return rawSpace(p, vdevBytes(p.Devices)[v.Baseline.Device()])
}

func filesystemSpace(p Plan, spec v1alpha1.FilesystemSpec, size int64) Space {
	// A workload that compresses says nothing about this filesystem: what is certain for ZFS without compression is certain for all.
	all, certain := fileContents(p.Workloads, v1alpha1.DatasetSpec{})
	space := Space{DeviceBytes: size, NeededBytes: whole(all + metadataBytes), Fit: FitMaybe}
	kind, known := filesystem.Of(spec.Type)
	if known {
		space.UsableBytes = kind.UsableBytes(size)
	}
	switch {
	case space.NeededBytes <= space.UsableBytes:
		space.Fit = FitYes
	case certain > float64(size):
		space.Fit = FitNo
	}
	return space
}

// rawSpace has exactly what it has: each job has a part of its own.
func rawSpace(p Plan, size int64) Space {
	space := Space{DeviceBytes: size, UsableBytes: size, Fit: FitYes}
	for _, w := range p.Workloads {
		if w.Fio != nil {
			space.NeededBytes = max(space.NeededBytes, whole(fioBytes(*w.Fio)))
		}
	}
	if space.NeededBytes > space.UsableBytes {
		space.Fit = FitNo
	}
	return space
}

// Filesystem is the one other than ZFS that a variant's workloads run on, in a partition or on a volume; nil if there is none.
func (v Variant) Filesystem() *v1alpha1.FilesystemSpec {
	switch {
	case v.Baseline != nil && v.Baseline.Filesystem != nil:
		return &v.Baseline.Filesystem.FilesystemSpec
	case v.Baseline == nil && v.Dataset.Volume != nil:
		return v.Dataset.Volume.Filesystem
	}
	return nil
}

// EstimateFilesystem holds what the workloads store against the filesystem of a variant that has one: DeviceBytes is the size of its partition or volume.
func EstimateFilesystem(p Plan, v Variant) Space {
	spec := v.Filesystem()
	if v.Baseline != nil {
		return filesystemSpace(p, *spec, vdevBytes(p.Devices)[v.Baseline.Device()])
	}
	return filesystemSpace(p, *spec, v.Dataset.Volume.Size.Value())
}

// formatting is how long a slow disk takes for what the tools write that leave nothing to initialise later; of several filesystems the most.
func formatting(p Plan) time.Duration {
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
	return atRate(most, slowBytesPerSecond).Round(time.Second)
}
