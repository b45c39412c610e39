// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import "k8s.io/apimachinery/pkg/api/resource"

// MDArray is an array of Linux's software RAID (md). The node's own mdadm creates it again for every trial, with
// metadata 1.2, and nothing is measured before its first sync is over. A BenchmarkDevicePolicy has to allow arrays
// (spec.mdArrays).
//
// +kubebuilder:validation:XValidation:rule=`self.devices.size() >= leastMembers`,messageExpression=`'devices must be at least ' + (leastMembers == 4 ? '4' : leastMembers == 3 ? '3' : '2') + ' for level ' + self.level`,fieldPath=`.devices`,message="devices are too few for the level"
// +kubebuilder:validation:XValidation:rule=`!has(self.chunkSize) || self.level != 'raid1'`,fieldPath=`.chunkSize`,message="chunkSize is for levels that stripe, and raid1 does not: remove it",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule=`!has(self.bitmap) || self.level != 'raid0'`,fieldPath=`.bitmap`,message="bitmap is for levels with redundancy, and raid0 has none: remove it",reason=FieldValueForbidden
type MDArray struct {
	// level is how the devices are joined: raid0, raid1 (every device holds everything), raid5, raid6 or raid10 (two
	// copies, near=2).
	// +required
	Level MDLevel `json:"level"`

	// devices are names from spec.devices, of disks or of their partitions; files are not possible. At least two for raid0
	// and raid1, three for raid5, four for raid6 and raid10; their sizes may differ by at most 16Mi, as in a vdev.
	// +required
	// +listType=set
	// +kubebuilder:validation:MinItems=2
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=32
	// +kubebuilder:validation:items:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	Devices []string `json:"devices"`

	// chunkSize is how much is written to one device before the next device, as a string with a unit, for example 64Ki: a
	// power of two from 4Ki to 64Mi; not for raid1. Default: mdadm's own, usually 512Ki.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=24
	// +kubebuilder:validation:Pattern=`^[0-9]{1,8}([KM]i)?$`
	ChunkSize *resource.Quantity `json:"chunkSize,omitempty"`

	// bitmap is the write-intent bitmap, which shortens the sync after a crash and costs writes: None or Internal; not for
	// raid0. Default: mdadm's own, which depends on its version and its configuration; the results say what it was.
	// +optional
	Bitmap MDBitmap `json:"bitmap,omitempty"`
}

// MDLevel is a level of Linux's software RAID.
//
// +kubebuilder:validation:Enum=raid0;raid1;raid5;raid6;raid10
type MDLevel string

// The levels of md arrays.
const (
	MDRaid0  MDLevel = "raid0"
	MDRaid1  MDLevel = "raid1"
	MDRaid5  MDLevel = "raid5"
	MDRaid6  MDLevel = "raid6"
	MDRaid10 MDLevel = "raid10"
)

// MDBitmap says whether an md array has a write-intent bitmap.
//
// +kubebuilder:validation:Enum=None;Internal
type MDBitmap string

// The bitmaps of md arrays.
const (
	MDBitmapNone     MDBitmap = "None"
	MDBitmapInternal MDBitmap = "Internal"
)
