// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"
)

// Device is one named building block of a pool, or a disk that is split into several, or as many disks of a class as
// count says; exactly one of path, file and class is set.
//
// +kubebuilder:validation:XValidation:rule=`!has(self.partitions) || !has(self.file)`,fieldPath=`.partitions`,message="partitions are for a disk: a file needs none, make several files",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule=`!has(self.partitions) || !has(self.class)`,fieldPath=`.partitions`,message="partitions are for a disk that path names: the disks of a class are used as a whole",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule=`!has(self.count) || has(self.class)`,fieldPath=`.count`,message="count is for a class: a path or a file is one device",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule=`!has(self.class) || self.name.size() <= 30`,fieldPath=`.name`,message="name must be at most 30 characters with class: its disks have a number behind the name, for example d0"
// +kubebuilder:validation:XValidation:rule=`!has(self.partitions) || self.partitions.all(p, has(p.size) || p.name == self.partitions[self.partitions.size() - 1].name)`,fieldPath=`.partitions`,message="partitions need a size, all but the last one, which without a size gets what is left of the disk"
// +kubebuilder:validation:XValidation:rule=`[has(self.path), has(self.file), has(self.class)].filter(b, b).size() == 1`,message="exactly one of path, file and class must be set: path names a disk, file makes a file in the scratch directory, class chooses disks on each node"
type Device struct {
	// name is what the rest of the spec calls the device. It becomes part of file names and of ZFS names. The disks of a
	// class have a number behind the name: d0, d1 and so on, also if there is only one.
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

	// class chooses disks on each node: of those that BenchmarkDevicePolicies offer there to the namespace with this
	// class, the first ones by path that are free as far as the NodeStorage says. They are chosen when the benchmark is
	// accepted, and stay the same until it ends.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule=`isDNSLabel(self)`,message="class must be lower-case letters, digits and '-', with a letter or digit at both ends, for example nvme"
	Class string `json:"class,omitempty"`

	// count is how many disks of the class each node needs. Default: 1.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=64
	Count *int32 `json:"count,omitempty"`
}

// Numbered are the disks that a device with a class stands for, without their paths: d0, d1 and so on. Any other device
// stands for itself.
func (d Device) Numbered() []Device {
	if d.Class == "" {
		return []Device{d}
	}
	var disks []Device
	for i := range min(ptr.Deref(d.Count, 1), MaxDevices) {
		disks = append(disks, Device{Name: fmt.Sprint(d.Name, i), Class: d.Class})
	}
	return disks
}

// HasClasses says whether some devices are disks of a class.
func (s ZfsBenchmarkSpec) HasClasses() bool {
	return slices.ContainsFunc(s.Devices, func(d Device) bool { return d.Class != "" })
}

// MaxDevices is how many devices a benchmark may have, with each disk of a class counted.
const MaxDevices = 64

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
