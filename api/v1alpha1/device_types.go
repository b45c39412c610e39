// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import "k8s.io/apimachinery/pkg/api/resource"

// Device is one named building block of a pool, or a disk that is split into several; exactly one of path and file is
// set.
//
// +kubebuilder:validation:XValidation:rule=`!has(self.partitions) || has(self.path)`,fieldPath=`.partitions`,message="partitions are for a disk: a file needs none, make several files",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule=`!has(self.partitions) || self.partitions.all(p, has(p.size) || p.name == self.partitions[self.partitions.size() - 1].name)`,fieldPath=`.partitions`,message="partitions need a size, all but the last one, which without a size gets what is left of the disk"
// +kubebuilder:validation:XValidation:rule=`has(self.path) != has(self.file)`,message="exactly one of path and file must be set: path names a disk, file makes a file in the scratch directory"
type Device struct {
	// name is what the rest of the spec calls the device. It becomes part of file names and of ZFS names.
	// +required
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:XValidation:rule=`isDNSLabel(self)`,message="name becomes part of ZFS names: it must be lower-case letters, digits and '-', with a letter or digit at both ends, for example d0"
	Name string `json:"name"`

	// path is the whole disk's stable path below /dev/disk/by-id, exactly as a BenchmarkDevicePolicy lists it. The disk
	// must be blank: a disk with any signature, partition, holder or mount is refused.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	// +kubebuilder:validation:XValidation:rule=`isDiskPath(self)`,message="path must be a disk's stable path, for example /dev/disk/by-id/wwn-0x5000c500a1b2c3d4, without globs: other names may mean another disk after a reboot"
	// +kubebuilder:validation:XValidation:rule=`!self.matches('-part[0-9]+$')`,message="path must be a whole disk, not a partition: remove -part and the number"
	Path string `json:"path,omitempty"`

	// partitions split the disk, in this order, if it has several roles in a pool, for example log and cache. The pool
	// then names the partitions, not the device. Default: one partition of the whole disk, with the device's name.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	Partitions []Partition `json:"partitions,omitempty"`

	// file is a preallocated file in the node's scratch directory, to try a layout without disks. Its numbers measure the
	// node's own filesystem and page cache as well.
	// +optional
	File *FileDevice `json:"file,omitempty"`
}

// Partition is a part of a disk that becomes a vdev.
type Partition struct {
	// name is the name that pools use. No device and no other partition may have the same name.
	// +required
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	Name string `json:"name"`

	// size of the partition, as a string with a unit, for example 4Gi: whole MiB, at least 64Mi. Default, for the last
	// partition only: the rest of the disk.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=24
	// +kubebuilder:validation:Pattern=`^[0-9]{1,15}([kMGT]|[KMGT]i)?$`
	Size *resource.Quantity `json:"size,omitempty"`
}

// FileDevice is a preallocated file used as a vdev.
type FileDevice struct {
	// size of the file, as a string with a unit, for example 2Gi; at least 64Mi, the least OpenZFS takes.
	// +required
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=24
	// +kubebuilder:validation:XValidation:rule=`bytesWithin(self, 64Mi, 64Ti)`,message="size must be a whole number of bytes from 64Mi, the least OpenZFS takes, to 64Ti, for example 2Gi"
	Size resource.Quantity `json:"size"`
}
