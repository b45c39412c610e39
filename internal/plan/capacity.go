// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"math"
	"slices"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/tools/fio"
)

// Fit says whether something has room.
type Fit int

// Between FitYes and FitNo lies what depends on the data: how well it compresses, how far a workload gets in its
// runtime.
const (
	FitYes Fit = iota
	FitMaybe
	FitNo
)

// Space is what a variant needs and what it has, in bytes. It is a cautious estimate, made before there is any pool or
// filesystem.
type Space struct {
	// DeviceBytes are all data devices together.
	DeviceBytes int64
	// UsableBytes is the room that a new pool on them has for a dataset: without parity, labels, incomplete metaslabs and
	// the space that OpenZFS reserves.
	UsableBytes int64
	// NeededBytes is the size of the volume, or of all files of all workloads, with their metadata.
	NeededBytes int64
	// Fit is FitNo only if there is no room for what is written for certain.
	Fit Fit
}

const (
	// metadataBytesPerBlock are two block pointers for each block, dedupBytesPerBlock what a deduplication table adds;
	// metadataBytes is what a dataset takes that is nearly empty.
	metadataBytesPerBlock = 256
	dedupBytesPerBlock    = 512
	metadataBytes         = 16 << 20
	// defaultRecordBytes and defaultVolumeBlockBytes are OpenZFS's own.
	defaultRecordBytes      = 128 << 10
	defaultVolumeBlockBytes = 16 << 10
)

// EstimateSpace compares what a variant's dataset needs with the pool it would be in, or what the workloads store with
// a baseline's partition.
func EstimateSpace(p Expanded, v Variant) Space {
	if v.Baseline != nil {
		return baselineSpace(p, v)
	}
	sizes := vdevBytes(p.Devices)
	workloads := p.WorkloadsOn(v)
	block, largest := blockRange(workloads, v.Dataset)
	stored := func(workloads []v1alpha1.Workload) (all, certain float64) {
		all, certain = contents(workloads, v.Dataset, unreserved(v, block))
		blocks := math.Ceil(all / block)
		all += blocks * metadataBytesPerBlock
		if slices.ContainsFunc(v.Dataset.WithChildren(), func(d v1alpha1.DatasetSpec) bool {
			return isOn(d, "dedup", false)
		}) {
			all += blocks * dedupBytesPerBlock
		}
		return all, certain
	}
	usable := usableBytes(v.Pool, sizes, block, largestUsualAshift)
	// Small blocks may go to special vdevs, and smaller sectors waste less, as do larger blocks.
	most := usableBytes(v.Pool, sizes, largest, smallestAshift) + totalBytes(v.Pool.Special, sizes)
	needed, certain := withOperations(workloads, stored, usable, most)
	needed += metadataBytes
	space := Space{
		DeviceBytes: whole(totalBytes(v.Pool.Vdevs, sizes)), UsableBytes: whole(usable), NeededBytes: whole(needed),
		Fit: FitMaybe,
	}
	switch {
	case needed <= usable:
		space.Fit = FitYes
	case certain > most:
		space.Fit = FitNo
	}
	return withinQuota(p, v, space, inflation(v.Pool, largest, smallestAshift),
		inflation(v.Pool, block, largestUsualAshift))
}

// unreserved is how many times its reservation a dataset may take: OpenZFS counts whole sectors only for a volume on
// raidz or draid (zvol_volsize_to_reservation in libzfs).
func unreserved(v Variant, block float64) float64 {
	if v.Dataset.ZFSType() == v1alpha1.DatasetVolume && len(v.Pool.Vdevs) > 0 && geometryOf(v.Pool.Vdevs[0]).parity > 0 {
		return 1
	}
	return max(1, inflation(v.Pool, block, largestUsualAshift))
}

// withinQuota compares files also with the quota of their filesystem, which may be less than the pool's room. Each byte
// of a file takes from least to most bytes of it.
func withinQuota(p Expanded, v Variant, space Space, least, most float64) Space {
	d := v.Dataset
	room, _ := d.Room()
	if d.ZFSType() != v1alpha1.DatasetFilesystem || room == 0 {
		return space
	}
	all, certain := fileContents(p.WorkloadsOn(v), d)
	all, certain = all*most, certain*least
	switch {
	case certain > float64(room):
		space.UsableBytes, space.NeededBytes, space.Fit = room, whole(all), FitNo
	case all > float64(room) && space.Fit == FitYes:
		space.UsableBytes, space.NeededBytes, space.Fit = room, whole(all), FitMaybe
	}
	return space
}

// contents is the most that the workloads store, and what they store for certain, without metadata. A dataset may take
// up to unreserved times its reservation.
func contents(workloads []v1alpha1.Workload, d v1alpha1.DatasetSpec, unreserved float64) (all, certain float64) {
	size, sparse := d.Room()
	switch {
	case d.ZFSType() == v1alpha1.DatasetVolume && size > 0:
		all, certain = volumeContents(workloads, d, unreserved)
	default:
		all, certain = fileContents(workloads, d)
		if !sparse {
			all, certain = max(all, float64(size)), max(certain, float64(size)/unreserved)
		}
	}
	least, most := copiesOf(d)
	return all * most, certain * least
}

// copiesOf is the smallest and the largest number of copies of a block that a dataset and its children store.
func copiesOf(d v1alpha1.DatasetSpec) (least, most float64) {
	least, most = math.Inf(1), 1
	for _, each := range d.WithChildren() {
		copies := max(1, map[v1alpha1.PropertyValue]float64{"2": 2, "3": 3}[each.Properties["copies"]])
		least, most = min(least, copies), max(most, copies)
	}
	return least, most
}

// volumeContents is the whole volume if it is reserved, else the part that the workloads write. If the blocks take more
// than the reservation, only the part that fits is certain.
func volumeContents(workloads []v1alpha1.Workload, d v1alpha1.DatasetSpec, unreserved float64) (all, certain float64) {
	bytes, sparse := d.Room()
	size := float64(bytes)
	for _, w := range workloads {
		if w.Fio == nil {
			continue
		}
		var jobs, surely float64
		for _, j := range w.Fio.AllJobs() {
			jobs += float64(j.Size.Value())
			if isCertain(j.FioWorkload, d) {
				surely += float64(j.Size.Value())
			}
		}
		all, certain = max(all, min(jobs, size)), max(certain, min(surely, size))
	}
	if !sparse {
		all, certain = size, max(certain, size/unreserved)
	}
	return all, certain
}

// fileContents adds up the files; workloads of the same size and content share their files; so do jobs, if they also
// have the same name.
func fileContents(workloads []v1alpha1.Workload, d v1alpha1.DatasetSpec) (all, certain float64) {
	type files struct {
		size             int64
		compress, dedupe int32
		job, owner, in   string
	}
	type extent struct{ all, certain float64 }
	sets := map[files]extent{}
	for _, w := range workloads {
		if w.Fio == nil {
			all += workloadBytes(w) // not for certain: they may be ended before
			continue
		}
		for _, j := range w.Fio.AllJobs() {
			key := files{j.Size.Value(), percent(j.BufferCompressPercentage), percent(j.DedupePercentage), j.Name, "", j.Dataset}
			in, _ := d.Child(j.Dataset)
			if j.OwnFiles {
				key.owner = w.Name
			}
			set := sets[key]
			set.all = max(set.all, fio.JobBytes(j.FioWorkload))
			if isCertain(j.FioWorkload, in) {
				set.certain = max(set.certain, fio.JobBytes(j.FioWorkload))
			}
			sets[key] = set
		}
	}
	for _, set := range sets {
		all += set.all
		certain += set.certain
	}
	return all, certain
}

// percent is -1 for a percentage that is not set.
func percent(p *int32) int32 {
	if p == nil {
		return -1
	}
	return *p
}

// isCertain says whether a workload writes all of its size, and that takes as much room.
func isCertain(w v1alpha1.FioWorkload, d v1alpha1.DatasetSpec) bool {
	endsEarly := w.RW == v1alpha1.FioWrite && w.Runtime != nil
	shrinks := percent(w.BufferCompressPercentage) > 0 && isOn(d, "compression", true) ||
		percent(w.DedupePercentage) > 0 && isOn(d, "dedup", false)
	return !endsEarly && !shrinks
}

// isOn says whether a property has any value but off.
func isOn(d v1alpha1.DatasetSpec, property string, byDefault bool) bool {
	if value := d.Properties[property]; value != "" {
		return value != "off"
	}
	return byDefault
}

// blockBytes is the size of the blocks that hold the data. A file smaller than a record is one block.
func blockBytes(workloads []v1alpha1.Workload, d v1alpha1.DatasetSpec) float64 {
	property, size := "recordsize", int64(defaultRecordBytes)
	if d.ZFSType() == v1alpha1.DatasetVolume {
		property, size = "volblocksize", defaultVolumeBlockBytes
	}
	if set, err := v1alpha1.ParseBlockSize(string(d.Properties[property])); err == nil {
		size = set
	}
	if d.ZFSType() != v1alpha1.DatasetVolume {
		for _, w := range workloads {
			if least := smallestFile(w); least > 0 {
				size = min(size, max(least, 1<<smallestAshift))
			}
		}
	}
	return float64(size)
}

// blockRange is the smallest and the largest block size of a dataset and its children, in bytes.
func blockRange(workloads []v1alpha1.Workload, d v1alpha1.DatasetSpec) (smallest, largest float64) {
	smallest = math.Inf(1)
	for _, each := range d.WithChildren() {
		block := blockBytes(workloads, each)
		smallest, largest = min(smallest, block), max(largest, block)
	}
	return smallest, largest
}

// whole rounds to bytes, limited to what an int64 holds.
func whole(bytes float64) int64 {
	return int64(min(max(bytes, 0), math.MaxInt64/2))
}

// totalBytes is the size of all devices of some vdevs.
func totalBytes(vdevs []v1alpha1.Vdev, sizes map[string]int64) float64 {
	var total int64
	for _, vdev := range vdevs {
		for _, name := range vdev.Devices {
			total += sizes[name]
		}
	}
	return float64(total)
}

// vdevBytes are the sizes of all devices and partitions that a vdev can have, by name.
func vdevBytes(devices []Device) map[string]int64 {
	sizes := map[string]int64{}
	for _, d := range devices {
		for _, part := range d.Parts() {
			sizes[part.Name] = part.SizeBytes
		}
	}
	return sizes
}
