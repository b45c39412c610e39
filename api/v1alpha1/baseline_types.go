// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import "k8s.io/apimachinery/pkg/api/resource"

// Baseline is a variant that is not a pool of the benchmark's: a filesystem on one disk or on an md array, the disk or
// array itself, or a volume of a StorageClass that exists; exactly one of filesystem, raw and persistentVolume is set.
//
// +kubebuilder:validation:XValidation:rule=`[has(self.filesystem), has(self.raw), has(self.persistentVolume)].filter(set, set).size() == 1`,message="exactly one of filesystem, raw and persistentVolume must be set"
type Baseline struct {
	// name is the name of the variant. comparison.reference and thresholds may use it.
	// +required
	Name AxisValueName `json:"name"`

	// filesystem is created again for every trial, and mounted only for the workload.
	// +optional
	Filesystem *FilesystemBaseline `json:"filesystem,omitempty"`

	// raw lets the workloads read and write a disk's partition, or an md array, as a block device, as they do with a
	// volume.
	// +optional
	Raw *RawBaseline `json:"raw,omitempty"`

	// persistentVolume is a new claim for every trial, from an existing StorageClass of any driver. The manager must have
	// CSI switched on.
	// +optional
	PersistentVolume *PersistentVolumeBaseline `json:"persistentVolume,omitempty"`
}

// PersistentVolumeBaseline is a volume of a StorageClass that exists.
type PersistentVolumeBaseline struct {
	// storageClassName is the name of the StorageClass. The benchmark does not change the class.
	// +required
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`
	StorageClassName string `json:"storageClassName"`

	// size of the claim, as a string with a unit, for example 8Gi.
	// +required
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=24
	// +kubebuilder:validation:XValidation:rule=`bytesWithin(self, 1Mi, 64Ti)`,message="size must be a whole number of bytes from 1Mi to 64Ti, for example 8Gi"
	Size resource.Quantity `json:"size"`

	// volumeMode is Filesystem, the default, or Block.
	// +optional
	VolumeMode VolumeMode `json:"volumeMode,omitempty"`
}

// FilesystemBaseline is a filesystem other than ZFS, on one disk or on an md array; exactly one of device and md is
// set.
//
// +kubebuilder:validation:XValidation:rule=`has(self.device) != has(self.md)`,message="exactly one of device and md must be set"
type FilesystemBaseline struct {
	FilesystemSpec `json:",inline"`

	// device is the name of a disk in spec.devices, or of a partition of one. Files are not possible.
	// +optional
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	Device string `json:"device,omitempty"`

	// md is the array (Linux's software RAID) that the filesystem is on.
	// +optional
	MD *MDArray `json:"md,omitempty"`
}

// FilesystemSpec is a filesystem other than ZFS. The node's own kernel and tools make it; the preflight names what they
// lack. mkfs does not discard the disk, because devicePreparation decides that for all variants alike, and it leaves
// nothing to initialise later.
type FilesystemSpec struct {
	// type of the filesystem.
	// +required
	Type FilesystemType `json:"type"`

	// mkfsOptions are options of the tool that makes the filesystem, for example blockSize=4096. docs/baselines.md lists
	// the options of each type with their values; all others are refused. Default: the tool's.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	MkfsOptions []FilesystemOption `json:"mkfsOptions,omitempty"`

	// mountOptions are options of mount, for example data=ordered or noatime. docs/baselines.md lists the options
	// of each type with their values; all others are refused. nosuid, nodev and noexec are always set. Default: the
	// kernel's.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	MountOptions []FilesystemOption `json:"mountOptions,omitempty"`
}

// FilesystemType is a kind of filesystem other than ZFS.
//
// +kubebuilder:validation:Enum=ext2;ext3;ext4;xfs;btrfs;f2fs;jfs;reiserfs;bcachefs
type FilesystemType string

// FilesystemOption is NAME or NAME=VALUE.
//
// +kubebuilder:validation:MaxLength=64
// +kubebuilder:validation:Pattern=`^[a-z][A-Za-z0-9_]*(=[A-Za-z0-9:]+)?$`
type FilesystemOption string

// RawBaseline is a disk, or an md array, without a filesystem; exactly one of device and md is set.
//
// +kubebuilder:validation:XValidation:rule=`has(self.device) != has(self.md)`,message="exactly one of device and md must be set"
type RawBaseline struct {
	// device is the name of a disk in spec.devices, or of a partition of one. Files are not possible.
	// +optional
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	Device string `json:"device,omitempty"`

	// md is the array (Linux's software RAID) that the workloads use, without a filesystem.
	// +optional
	MD *MDArray `json:"md,omitempty"`
}

// Kind is the type of the filesystem, raw or persistentVolume.
func (b Baseline) Kind() string {
	switch {
	case b.Filesystem != nil:
		return string(b.Filesystem.Type)
	case b.PersistentVolume != nil:
		return KindPersistentVolume
	}
	return KindRaw
}

// The kinds of baselines other than a filesystem that the benchmark makes.
const (
	KindRaw              = "raw"
	KindPersistentVolume = "persistentVolume"
)

// Claims says whether it is a volume that is claimed from a StorageClass.
func (b Baseline) Claims() bool { return b.PersistentVolume != nil }

// IsBlockDevice says whether workloads get a device in place of a directory.
func (b Baseline) IsBlockDevice() bool {
	return b.Raw != nil || b.PersistentVolume != nil && b.PersistentVolume.VolumeMode == VolumeBlock
}

// Devices are the names of the disks or partitions that it is on: one, or the members of its md array; none for a
// volume of a StorageClass.
func (b Baseline) Devices() []string {
	if b.PersistentVolume != nil {
		return nil
	}
	if array := b.Array(); array != nil {
		return array.Devices
	}
	return []string{b.Device()}
}

// Device is the name of the disk or partition that it is on; empty if it is on an md array.
func (b Baseline) Device() string {
	switch {
	case b.Filesystem != nil:
		return b.Filesystem.Device
	case b.Raw != nil:
		return b.Raw.Device
	}
	return ""
}

// Array is the md array that it is on; nil if it is on one disk.
func (b Baseline) Array() *MDArray {
	switch {
	case b.Filesystem != nil:
		return b.Filesystem.MD
	case b.Raw != nil:
		return b.Raw.MD
	}
	return nil
}
