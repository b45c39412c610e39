// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import "k8s.io/apimachinery/pkg/api/resource"

// PersistentVolumeSpec is a claim to a volume that the CSI driver zfs-localpv (zfs.csi.openebs.io) makes in the pool.
// Dataset properties that the driver knows become parameters of the StorageClass. The others are set on the parent
// dataset of the driver's volumes, and the volumes inherit them.
//
// +kubebuilder:validation:XValidation:rule=`(has(self.fsType) ? 1 : 0) + (has(self.volumeMode) && self.volumeMode == 'Block' ? 1 : 0) == 1`,message="exactly one of fsType and volumeMode Block must be set"
type PersistentVolumeSpec struct {
	// size of the claim, as a string with a unit, for example 8Gi: whole MiB up to 1Gi, and whole GiB above, because the
	// driver rounds other sizes up.
	// +required
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=24
	// +kubebuilder:validation:XValidation:rule=`bytesWithin(self, 1Mi, 64Ti) && bytesOf(self) % (bytesOf(self) > 1Gi ? 1Gi : 1Mi) == 0`,message="size must be whole MiB up to 1Gi, and whole GiB from there to 64Ti, for example 8Gi: the driver rounds any other up"
	Size resource.Quantity `json:"size"`

	// sparse makes a volume without a reservation (thinprovision).
	// +optional
	Sparse bool `json:"sparse,omitempty"`

	// fsType is what the driver makes: zfs is a dataset, every other type is a filesystem on a zvol.
	// +optional
	FSType PersistentVolumeFSType `json:"fsType,omitempty"`

	// volumeMode is Filesystem or Block, which gives the workloads the zvol itself.
	// +optional
	VolumeMode VolumeMode `json:"volumeMode,omitempty"`
}

// PersistentVolumeFSType is a filesystem that the driver makes.
//
// +kubebuilder:validation:Enum=zfs;ext2;ext3;ext4;xfs;btrfs
type PersistentVolumeFSType string

// FSTypeZFS is a dataset, mounted as it is.
const FSTypeZFS PersistentVolumeFSType = "zfs"

// VolumeMode says whether a claim is for a filesystem or for a block device.
//
// +kubebuilder:validation:Enum=Filesystem;Block
type VolumeMode string

// The volume modes; the first one is the default.
const (
	VolumeFilesystem VolumeMode = "Filesystem"
	VolumeBlock      VolumeMode = "Block"
)

// QuotaSpec limits the size of a filesystem.
type QuotaSpec struct {
	// size is the most that the filesystem may hold, as a string with a unit, for example 8Gi.
	// +required
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=24
	// +kubebuilder:validation:XValidation:rule=`bytesWithin(self, 1Mi, 64Ti)`,message="size must be a whole number of bytes from 1Mi to 64Ti, for example 8Gi"
	Size resource.Quantity `json:"size"`

	// sparse does not reserve this space in the pool. Default: false.
	// +optional
	Sparse bool `json:"sparse,omitempty"`
}

func (d DatasetSpec) isVolume() bool {
	return d.Type == DatasetVolume || d.Type == "" && d.Volume != nil
}

// ZFSType is what a dataset is to OpenZFS: a filesystem or a volume.
func (d DatasetSpec) ZFSType() DatasetType {
	switch {
	case d.isVolume():
		return DatasetVolume
	case d.PersistentVolume != nil && d.PersistentVolume.FSType != FSTypeZFS:
		return DatasetVolume
	}
	return DatasetFilesystem
}

// Claims says whether workloads run on a volume that is claimed from the driver.
func (d DatasetSpec) Claims() bool { return d.Type == DatasetPersistentVolume }

// IsBlockDevice says whether workloads get a device in place of a directory.
func (d DatasetSpec) IsBlockDevice() bool {
	switch {
	case d.Claims():
		return d.PersistentVolume != nil && d.PersistentVolume.VolumeMode == VolumeBlock
	case d.isVolume():
		return d.Volume == nil || d.Volume.Filesystem == nil
	}
	return false
}

// OtherFilesystem is the filesystem other than ZFS on the dataset; nil if there is none.
func (d DatasetSpec) OtherFilesystem() *FilesystemSpec {
	switch p := d.PersistentVolume; {
	case d.Volume != nil:
		return d.Volume.Filesystem
	case p != nil && p.FSType != "" && p.FSType != FSTypeZFS:
		return &FilesystemSpec{Type: FilesystemType(p.FSType)}
	}
	return nil
}

// Room is the size limit of a dataset in bytes, 0 for none, and whether the space is sparse, that is, not reserved.
func (d DatasetSpec) Room() (size int64, sparse bool) {
	switch {
	case d.Volume != nil:
		return d.Volume.Size.Value(), d.Volume.Sparse
	case d.PersistentVolume != nil:
		return d.PersistentVolume.Size.Value(), d.PersistentVolume.Sparse
	case d.Quota != nil:
		return d.Quota.Size.Value(), d.Quota.Sparse
	}
	return 0, true
}
