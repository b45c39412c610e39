// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import "k8s.io/apimachinery/pkg/api/resource"

// DatasetType is what kind of dataset the workloads run on.
//
// +kubebuilder:validation:Enum=Filesystem;Volume;PersistentVolume
type DatasetType string

const (
	// DatasetFilesystem is a ZFS filesystem, mounted for the workload alone.
	DatasetFilesystem DatasetType = "Filesystem"
	// DatasetVolume is a zvol.
	DatasetVolume DatasetType = "Volume"
	// DatasetPersistentVolume is what the CSI driver zfs-localpv makes in the pool for a claim.
	DatasetPersistentVolume DatasetType = "PersistentVolume"
)

// DatasetSpec is the dataset that the workloads run on.
//
// +kubebuilder:validation:XValidation:rule=`self.type != 'Volume' || has(self.volume)`,fieldPath=`.volume`,message="volume is required for type Volume: say its size",reason=FieldValueRequired
// +kubebuilder:validation:XValidation:rule=`self.type == 'Volume' || !has(self.volume)`,fieldPath=`.volume`,message="volume is only for type Volume: remove it, or set type to Volume",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule=`isFilesystem || !has(self.properties) || !self.properties.exists(k, k in filesystemProperties)`,messageExpression=`self.properties.filter(k, k in filesystemProperties)[0] + ' is a property of type Filesystem only: remove it'`,fieldPath=`.properties`,message="a property is of type Filesystem only: remove it",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule=`isVolume || !has(self.properties) || !self.properties.exists(k, k in volumeProperties)`,messageExpression=`self.properties.filter(k, k in volumeProperties)[0] + ' is a property of type Volume only: remove it'`,fieldPath=`.properties`,message="a property is of type Volume only: remove it",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule=`!has(self.volume) || !isWhole(self.volume.size) || !(volblocksize in volblocksizes) || bytesOf(self.volume.size) % volblocksizes[volblocksize] == 0`,fieldPath=`.volume.size`,message="size must be a multiple of volblocksize, which is 16K unless properties say otherwise"
// +kubebuilder:validation:XValidation:rule=`self.type != 'PersistentVolume' || has(self.persistentVolume)`,fieldPath=`.persistentVolume`,message="persistentVolume is required for type PersistentVolume: say its size",reason=FieldValueRequired
// +kubebuilder:validation:XValidation:rule=`self.type == 'PersistentVolume' || !has(self.persistentVolume)`,fieldPath=`.persistentVolume`,message="persistentVolume is only for type PersistentVolume: remove it, or set type to PersistentVolume",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule=`self.type == 'Filesystem' || !has(self.quota)`,fieldPath=`.quota`,message="quota is only for type Filesystem, the others have a size: remove it",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule=`self.type != 'PersistentVolume' || !has(self.properties) || !('volthreading' in self.properties)`,fieldPath=`.properties`,message="volthreading is not a parameter of the driver, and volumes do not inherit it: remove it",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule=`self.type == 'Filesystem' || !has(self.children)`,fieldPath=`.children`,message="children are only for type Filesystem: remove them, or set type to Filesystem",reason=FieldValueForbidden
type DatasetSpec struct {
	// type is Filesystem, Volume or PersistentVolume.
	// +optional
	// +kubebuilder:default=Filesystem
	Type DatasetType `json:"type,omitempty"`

	// volume is required for, and only allowed with, type Volume.
	// +optional
	Volume *VolumeSpec `json:"volume,omitempty"`

	// persistentVolume is required for, and only allowed with, type PersistentVolume.
	// +optional
	PersistentVolume *PersistentVolumeSpec `json:"persistentVolume,omitempty"`

	// quota limits a filesystem to a size and reserves that space, as a CSI driver does for a claim. Only with type
	// Filesystem. Default: the whole pool.
	// +optional
	Quota *QuotaSpec `json:"quota,omitempty"`

	// properties are dataset properties, for example recordsize, compression or sync. Quote numbers, on and off: "512",
	// "on".
	// +optional
	Properties DatasetProperties `json:"properties,omitempty"`

	// children are further filesystems below the dataset. Jobs of fio work in the child that they name. Only with type
	// Filesystem.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=8
	Children []ChildDataset `json:"children,omitempty"`
}

// VolumeSpec is a zvol.
type VolumeSpec struct {
	// size of the volume, as a string with a unit, for example 8Gi; a multiple of volblocksize.
	// +required
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=24
	// +kubebuilder:validation:XValidation:rule=`bytesWithin(self, 1Mi, 64Ti)`,message="size must be a whole number of bytes from 1Mi to 64Ti, for example 8Gi"
	Size resource.Quantity `json:"size"`

	// sparse makes a volume without a reservation.
	// +optional
	Sparse bool `json:"sparse,omitempty"`

	// filesystem is made on the volume and mounted for the workload alone, as a CSI driver does with a volume. Default:
	// the workloads use the volume as a raw block device.
	// +optional
	Filesystem *FilesystemSpec `json:"filesystem,omitempty"`
}
