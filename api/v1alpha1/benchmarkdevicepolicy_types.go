// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// BenchmarkDevicePolicy is the storage administrator's consent: these namespaces may destroy what is on these disks of
// this node. Without a policy that names it exactly, no disk is ever opened for writing.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Cluster,shortName=bdp,categories=zfsbench
// +kubebuilder:printcolumn:name="Node",type=string,JSONPath=`.spec.node.name`
// +kubebuilder:printcolumn:name="Devices",type=string,JSONPath=`.status.verifiedDevices`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Namespaces",type=string,JSONPath=`.spec.namespaces`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type BenchmarkDevicePolicy struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is the consent. Removing a device, a module parameter, md arrays, a StorageClass, an image or a
	// PersistentVolumeClaim from it stops a benchmark that uses what was removed.
	// +required
	Spec BenchmarkDevicePolicySpec `json:"spec"`

	// status says whether the devices are what the node has, as far as the operator knows.
	// +optional
	Status BenchmarkDevicePolicyStatus `json:"status,omitzero"`
}

// BenchmarkDevicePolicyList is a list of policies.
//
// +kubebuilder:object:root=true
type BenchmarkDevicePolicyList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []BenchmarkDevicePolicy `json:"items"`
}

// BenchmarkDevicePolicySpec names a node, the namespaces that may use it, and what they may use there: devices, module
// parameters, md arrays, volumes of StorageClasses, images, PersistentVolumeClaims.
//
// +kubebuilder:validation:XValidation:rule="!has(self.namespaceUIDs) || self.namespaceUIDs.all(n, n.name in self.namespaces)",fieldPath=".namespaceUIDs",message="namespaceUIDs must name namespaces that are in spec.namespaces"
type BenchmarkDevicePolicySpec struct {
	// node is the node that has the devices.
	// +required
	Node PolicyNode `json:"node"`

	// namespaces are the namespaces whose benchmarks may use the devices; exact names, no globs.
	// +required
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=63
	// +kubebuilder:validation:items:XValidation:rule=`isDNSLabel(self)`,message="namespaces must be exact names of namespaces: lower-case letters, digits and '-', no globs"
	Namespaces []string `json:"namespaces"`

	// namespaceUIDs are the UIDs that namespaces of this policy must have. A namespace that is listed here has consent
	// only with this UID: if somebody deletes it and creates another one with the same name, the new one has no consent. A
	// namespace that is not listed has consent by its name alone.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=64
	NamespaceUIDs []PolicyNamespaceUID `json:"namespaceUIDs,omitempty"`

	// devices are the disks that may be overwritten.
	// +optional
	// +listType=map
	// +listMapKey=path
	// +kubebuilder:validation:MaxItems=128
	Devices []PolicyDevice `json:"devices,omitempty"`

	// moduleParameters are the names of the parameters of OpenZFS's kernel modules (zfs and spl) that benchmarks may set
	// to any value. A parameter applies to all pools of the node, so it is set only while no other pool is imported.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=64
	// +kubebuilder:validation:items:XValidation:rule=`self.matches('^[a-z][a-z0-9_]*$')`,message="moduleParameters must be names of parameters of the modules zfs and spl, for example zfs_txg_timeout, no globs"
	ModuleParameters []string `json:"moduleParameters,omitempty"`

	// mdArrays says whether benchmarks may make md arrays (Linux's software RAID) of the devices: Forbidden, the default,
	// or Allowed. The whole node sees an array: mdadm names it in /dev/md, and after a crash udev may assemble it again
	// before the operator removes it.
	// +optional
	// +kubebuilder:default=Forbidden
	MDArrays MDArrays `json:"mdArrays,omitempty"`

	// fileDevices lets benchmarks use files in place of disks (Allowed) where the operator's configuration leaves that to
	// policies (fileDevices: Policy). Without such a configuration it changes nothing.
	// +optional
	FileDevices FileDevices `json:"fileDevices,omitempty"`

	// filesystems are the rarely used types of filesystems that benchmarks may use: f2fs, jfs, reiserfs and bcachefs. To
	// mount one, the node's kernel loads its module, and a bug in the module can crash the node. The other types need no
	// consent. Default: none.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=4
	Filesystems []RarelyUsedFilesystem `json:"filesystems,omitempty"`

	// storageClasses are the StorageClasses from which baselines may claim volumes for this node. The operator makes the
	// claims in its own namespace, so the quotas of the benchmark's namespace do not apply. StorageClasses that the
	// operator makes for its own pools (dataset type PersistentVolume) need no consent.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=64
	StorageClasses []PolicyStorageClass `json:"storageClasses,omitempty"`

	// images are the container images whose files benchmarks may use: programs of scripts, and data of corpora. A
	// benchmark must name an image exactly as it is listed here. Default: none. A script runs in a sandbox, but on a node
	// with devices: list only images that you trust, and by digest if nobody else may change what is in them.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=64
	Images []ImageReference `json:"images,omitempty"`

	// persistentVolumeClaims are the claims whose files benchmarks may read, to copy them as data of corpora. The claims
	// are in the namespace of the operator's runners, are listed by exact name, and are mounted read-only. Default: none.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=253
	// +kubebuilder:validation:items:XValidation:rule=`isDNSName(self)`,message="persistentVolumeClaims must be names of PersistentVolumeClaims: lower-case letters, digits, '-' and '.', with a letter or digit at both ends, no globs"
	PersistentVolumeClaims []string `json:"persistentVolumeClaims,omitempty"`

	// scratch changes where file devices and the journal are on the node, and how much space file devices may take.
	// +optional
	Scratch *PolicyScratch `json:"scratch,omitempty"`

	// maxTimeout is the longest timeout a benchmark may ask for: whole seconds, at most 30 days.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=24
	// +kubebuilder:validation:XValidation:rule=`secondsWithin(self, '1m', '720h')`,message="maxTimeout must be whole seconds from 1m to 720h, for example 24h"
	MaxTimeout *metav1.Duration `json:"maxTimeout,omitempty"`
}

// PolicyNode identifies a node beyond its name, so that a replaced machine of the same name is not covered.
type PolicyNode struct {
	// name of the node.
	// +required
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule=`isDNSName(self)`,message="name must be the name of a node: lower-case letters, digits, '-' and '.'"
	Name string `json:"name"`
	// uid of the Node object: kubectl get node NAME -o jsonpath='{.metadata.uid}'.
	// +required
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule=`isUID(self)`,message="uid must be the UID of the Node object, for example 0f3c7a52-6c1e-4b6b-9a53-2d7f6b8f1c11"
	UID string `json:"uid"`
}

// PolicyNamespaceUID identifies a namespace beyond its name.
type PolicyNamespaceUID struct {
	// name of the namespace; it must be in spec.namespaces.
	// +required
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule=`isDNSLabel(self)`,message="name must be the exact name of a namespace: lower-case letters, digits and '-', no globs"
	Name string `json:"name"`
	// uid of the Namespace object: kubectl get namespace NAME -o jsonpath='{.metadata.uid}'.
	// +required
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule=`isUID(self)`,message="uid must be the UID of the Namespace object, for example 0f3c7a52-6c1e-4b6b-9a53-2d7f6b8f1c11"
	UID string `json:"uid"`
}

// PolicyDevice identifies one disk by path, serial number and size; all three must agree with what the node finds.
//
// +kubebuilder:validation:XValidation:rule=`!(has(self.content) && self.content == 'Full' && has(self.unsignedData) && self.unsignedData == 'Overwrite')`,message="content Full refuses every byte other than zero, and unsignedData Overwrite accepts them: choose one"
type PolicyDevice struct {
	// path below /dev/disk/by-id; no globs.
	// +required
	// +kubebuilder:validation:MaxLength=255
	// +kubebuilder:validation:XValidation:rule=`isDiskPath(self)`,message="path must be a disk's stable path, for example /dev/disk/by-id/wwn-0x5000c500a1b2c3d4, without globs: other names may mean another disk after a reboot"
	// +kubebuilder:validation:XValidation:rule=`!self.matches('-part[0-9]+$')`,message="path must be a whole disk, not a partition: remove -part and the number"
	Path string `json:"path"`
	// serial number, as `lsblk -dno SERIAL PATH` prints it.
	// +required
	// +kubebuilder:validation:MaxLength=128
	// +kubebuilder:validation:XValidation:rule=`self.matches('^[!-~]([ -~]*[!-~])?$')`,message="serial must be printable ASCII without spaces at the ends, as lsblk -dno SERIAL prints it"
	Serial string `json:"serial"`
	// size in bytes, as `blockdev --getsize64 PATH` prints it.
	// +required
	// +kubebuilder:validation:XIntOrString
	// +kubebuilder:validation:MaxLength=24
	// +kubebuilder:validation:Pattern=`^[1-9][0-9]{0,14}([kMGTP]|[KMGTP]i)?$`
	Size resource.Quantity `json:"size"`
	// unsignedData says what to do with a disk that has no signature, but holds data that no benchmark left: Refuse, the
	// default, or Overwrite. Overwrite is for used disks whose signatures were wiped on purpose; signatures, partitions,
	// and data in the first and the last MiB are still refused.
	// +optional
	// +kubebuilder:default=Refuse
	UnsignedData UnsignedData `json:"unsignedData,omitempty"`
	// content says how much of the disk is read before it is used: Sampled, the default, reads both ends and more than 500
	// places in between; Full reads every byte, which takes hours on a large disk, and refuses any that is not zero. Data
	// that benchmarks leave on the disk needs no new scan until the node reboots, the disk is plugged in again or anything
	// else writes to it. After that the disk has to be zeroed.
	// +optional
	// +kubebuilder:default=Sampled
	Content ContentCheck `json:"content,omitempty"`
	// class is a name for disks of one kind, for example nvme. Benchmarks may ask for disks of a class in place of paths.
	// It is no consent of its own: a benchmark may use a disk by its path whatever its class.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule=`isDNSLabel(self)`,message="class must be lower-case letters, digits and '-', with a letter or digit at both ends, for example nvme"
	Class string `json:"class,omitempty"`
}

// RarelyUsedFilesystem is a FilesystemType that needs consent.
//
// +kubebuilder:validation:Enum=f2fs;jfs;reiserfs;bcachefs
type RarelyUsedFilesystem string

// ContentCheck says how much of a disk is read before it is used.
//
// +kubebuilder:validation:Enum=Sampled;Full
type ContentCheck string

// How much of a disk may be read.
const (
	ContentSampled ContentCheck = "Sampled"
	ContentFull    ContentCheck = "Full"
)

// MDArrays says whether benchmarks may make md arrays.
//
// +kubebuilder:validation:Enum=Forbidden;Allowed
type MDArrays string

// Whether md arrays may be made.
const (
	MDArraysForbidden MDArrays = "Forbidden"
	MDArraysAllowed   MDArrays = "Allowed"
)

// FileDevices says whether benchmarks may use files in place of disks.
//
// +kubebuilder:validation:Enum=Allowed
type FileDevices string

// FileDevicesAllowed lets benchmarks use files in place of disks.
const FileDevicesAllowed FileDevices = "Allowed"

// PolicyStorageClass is a StorageClass from which volumes may be claimed.
type PolicyStorageClass struct {
	// name of the StorageClass; no globs.
	// +required
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule=`isDNSName(self)`,message="name must be the name of a StorageClass: lower-case letters, digits, '-' and '.', with a letter or digit at both ends, no globs"
	Name string `json:"name"`
	// totalSize is the most space that volumes of the class may take for this node at any time, for example 100Gi. A node
	// runs one benchmark at a time, and a benchmark has one volume at a time, so this is also the limit of each volume.
	// +required
	// +kubebuilder:validation:XIntOrString
	// +kubebuilder:validation:MaxLength=24
	// +kubebuilder:validation:Pattern=`^[1-9][0-9]{0,14}([kMGTP]|[KMGTP]i)?$`
	TotalSize resource.Quantity `json:"totalSize"`
}

// UnsignedData says what to do with data without a signature.
//
// +kubebuilder:validation:Enum=Refuse;Overwrite
type UnsignedData string

// What can be done with data without a signature.
const (
	UnsignedDataRefuse    UnsignedData = "Refuse"
	UnsignedDataOverwrite UnsignedData = "Overwrite"
)

// PolicyScratch is where the operator may put files on the node.
type PolicyScratch struct {
	// directory is an absolute path that only the operator uses. It is created if it is missing, and must not be on ZFS,
	// tmpfs or overlay.
	// +required
	// +kubebuilder:validation:MaxLength=255
	// +kubebuilder:validation:XValidation:rule=`self.matches('^(/[A-Za-z0-9_-][A-Za-z0-9._-]*)+$')`,message="directory must be an absolute path of letters, digits, '.', '_' and '-', without '..' and without '/' at the end, for example /var/lib/zfs-benchmark"
	// +kubebuilder:validation:XValidation:rule=`!isSystemDirectory(self)`,message="directory must be one of the operator's own that survives a reboot, for example /var/lib/zfs-benchmark: this one belongs to the system"
	Directory string `json:"directory"`
	// totalSize is the most space that all file devices of one benchmark may take together, for example 100Gi.
	// +required
	// +kubebuilder:validation:XIntOrString
	// +kubebuilder:validation:MaxLength=24
	// +kubebuilder:validation:Pattern=`^[1-9][0-9]{0,14}([kMGTP]|[KMGTP]i)?$`
	TotalSize resource.Quantity `json:"totalSize"`
}
