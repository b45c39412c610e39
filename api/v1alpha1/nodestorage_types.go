// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// NodeStorage is what a storage node has: OpenZFS, disks and pools. The operator keeps one for every node with the
// label zfsbench.io/allowed=true, under the node's name. It is information, never consent: only a BenchmarkDevicePolicy
// lets a benchmark use a disk, and the runner checks each disk again right before it writes to it.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Cluster,shortName=nst,categories=zfsbench
// +kubebuilder:printcolumn:name="OpenZFS",type=string,JSONPath=`.status.system.openZFS`
// +kubebuilder:printcolumn:name="Disks",type=integer,JSONPath=`.status.diskCount`
// +kubebuilder:printcolumn:name="Blank",type=integer,JSONPath=`.status.blankCount`
// +kubebuilder:printcolumn:name="Offered",type=integer,JSONPath=`.status.offeredCount`
// +kubebuilder:printcolumn:name="Current",type=string,JSONPath=`.status.conditions[?(@.type=="Current")].status`
// +kubebuilder:printcolumn:name="Seen",type=date,JSONPath=`.status.observedAt`
type NodeStorage struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// status is what the last discovery found.
	// +optional
	Status NodeStorageStatus `json:"status,omitempty"`
}

// NodeStorageList is a list of NodeStorages.
//
// +kubebuilder:object:root=true
type NodeStorageList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []NodeStorage `json:"items"`
}

// NodeStorageStatus is what the last discovery found, and whether that is still current.
type NodeStorageStatus struct {
	// nodeUID is the UID of the Node object that was looked at.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	NodeUID string `json:"nodeUID,omitempty"`

	// observedAt is when the operator received what is listed here.
	// +optional
	ObservedAt *metav1.Time `json:"observedAt,omitempty"`

	// attemptedAt is when the last discovery was started.
	// +optional
	AttemptedAt *metav1.Time `json:"attemptedAt,omitempty"`

	// observedRequest is the value of the annotation zfsbench.io/discover that the last discovery was started with.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	ObservedRequest string `json:"observedRequest,omitempty"`

	// conditions has Current: whether the lists here are what the node has now, as far as the operator knows.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=8
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// diskCount is how many whole disks the node has.
	// +optional
	DiskCount int32 `json:"diskCount,omitempty"`
	// blankCount is how many of them are blank.
	// +optional
	BlankCount int32 `json:"blankCount,omitempty"`
	// offeredCount is how many of them a BenchmarkDevicePolicy lists.
	// +optional
	OfferedCount int32 `json:"offeredCount,omitempty"`

	NodeInventory `json:",inline"`
}

// NodeInventory is what the discovery reports.
type NodeInventory struct {
	// system is what benchmarks on the node depend on beside its disks.
	// +optional
	System NodeSystem `json:"system,omitzero"`

	// pools are the names of the pools that are imported.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=256
	Pools []string `json:"pools,omitempty"`

	// disks are the node's whole disks, in the order of their paths.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=256
	Disks []NodeDisk `json:"disks,omitempty"`

	// omittedDisks is how many more disks the node has.
	// +optional
	OmittedDisks int32 `json:"omittedDisks,omitempty"`
}

// NodeSystem is what benchmarks on a node depend on beside its disks. What could not be found out is left out.
type NodeSystem struct {
	// openZFS is the version of OpenZFS's userland.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	OpenZFS string `json:"openZFS,omitempty"`
	// openZFSModule is the version of the loaded kernel module.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	OpenZFSModule string `json:"openZFSModule,omitempty"`
	// kernel is the release of the running kernel.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Kernel string `json:"kernel,omitempty"`
	// memoryBytes is the node's memory.
	// +optional
	MemoryBytes int64 `json:"memoryBytes,omitempty"`
	// arcMaxBytes is how large OpenZFS's cache may become.
	// +optional
	ARCMaxBytes int64 `json:"arcMaxBytes,omitempty"`
	// tools are the programs of the node and of the runner that benchmarks need.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	Tools []NodeTool `json:"tools,omitempty"`
	// filesystems are the types that baselines may use, and whether the node has their tool and a kernel with them.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	Filesystems []NodeTool `json:"filesystems,omitempty"`
	// scratch is the directory for files in place of disks.
	// +optional
	Scratch NodeScratch `json:"scratch,omitzero"`
}

// NodeTool is a program or a filesystem type, and whether it can be used.
type NodeTool struct {
	// name of the program or type.
	// +kubebuilder:validation:MaxLength=256
	Name string `json:"name"`
	// version that was found; empty if it cannot be used.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Version string `json:"version,omitempty"`
	// problem says why it cannot be used.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Problem string `json:"problem,omitempty"`
}

// NodeScratch is the directory for files in place of disks.
type NodeScratch struct {
	// directory is its path on the node.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Directory string `json:"directory,omitempty"`
	// filesystem is the type of the filesystem that it is on, or would be made on.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Filesystem string `json:"filesystem,omitempty"`
	// freeBytes is the free space there.
	// +optional
	FreeBytes int64 `json:"freeBytes,omitempty"`
}

// NodeDisk is a whole disk of a node.
type NodeDisk struct {
	// path is the disk's best stable path below /dev/disk/by-id: its world-wide name before its NVMe EUI before its serial
	// number. Empty if it has none; then no policy can offer it.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Path string `json:"path,omitempty"`
	// aliases are its other paths below /dev/disk/by-id.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MaxLength=256
	Aliases []string `json:"aliases,omitempty"`
	// device is the kernel's name now, for example /dev/sda. After a reboot it may be another disk's.
	// +kubebuilder:validation:MaxLength=256
	Device string `json:"device"`
	// serial number, as `lsblk -dno SERIAL` prints it.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Serial string `json:"serial,omitempty"`
	// sizeBytes is the size, as `blockdev --getsize64` prints it.
	// +optional
	SizeBytes int64 `json:"sizeBytes,omitempty"`
	// model is what the disk calls itself.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Model string `json:"model,omitempty"`
	// firmware is the revision of the disk's firmware.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Firmware string `json:"firmware,omitempty"`
	// rotational is true for hard disks, as far as the kernel knows.
	// +optional
	Rotational bool `json:"rotational,omitempty"`
	// transport is how the disk is attached, for example nvme, sas, sata or virtio.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Transport string `json:"transport,omitempty"`
	// logicalSectorBytes is the size of the sectors that the disk is addressed by.
	// +optional
	LogicalSectorBytes int64 `json:"logicalSectorBytes,omitempty"`
	// physicalSectorBytes is the size of the sectors that it writes at once.
	// +optional
	PhysicalSectorBytes int64 `json:"physicalSectorBytes,omitempty"`
	// discard says whether the disk takes discards (TRIM).
	// +optional
	Discard bool `json:"discard,omitempty"`
	// volatileWriteCache says whether the disk has a write cache that loses its content without power.
	// +optional
	VolatileWriteCache bool `json:"volatileWriteCache,omitempty"`
	// verdict is what the runner's guard says about the disk: Blank, InUse or Refused.
	Verdict DiskVerdict `json:"verdict"`
	// check is the guard's check that the disk did not pass, for example mounts; empty for Blank.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	Check string `json:"check,omitempty"`
	// reason says why the disk is not Blank.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Reason string `json:"reason,omitempty"`
	// unsignedData says that the disk is not Blank only because of data without a signature, which a policy with
	// unsignedData Overwrite lets benchmarks overwrite.
	// +optional
	UnsignedData bool `json:"unsignedData,omitempty"`
	// offeredBy are the BenchmarkDevicePolicies that list the disk.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MaxLength=253
	OfferedBy []string `json:"offeredBy,omitempty"`
}

// HasPath says whether a path below /dev/disk/by-id is this disk's.
func (d NodeDisk) HasPath(path string) bool {
	return d.Path == path || slices.Contains(d.Aliases, path)
}

// DiskVerdict is what the runner's guard says about a disk: Blank is free and empty; InUse is used by somebody, or
// holds data; Refused can never be used as it is, or does not answer.
//
// +kubebuilder:validation:Enum=Blank;InUse;Refused
type DiskVerdict string

// What the guard says about a disk.
const (
	DiskBlank   DiskVerdict = "Blank"
	DiskInUse   DiskVerdict = "InUse"
	DiskRefused DiskVerdict = "Refused"
)

// ConditionCurrent is True while a NodeStorage is what the node has now, as far as the operator knows.
const ConditionCurrent = "Current"

// The reasons of the condition Current.
const (
	ReasonDiscovered      = "Discovered"
	ReasonDiscovering     = "Discovering"
	ReasonBenchmarkRuns   = "BenchmarkRuns"
	ReasonBenchmarkEnded  = "BenchmarkEnded"
	ReasonDiscoveryFailed = "DiscoveryFailed"
	ReasonDiscoveryHangs  = "DiscoveryHangs"
	ReasonTooOld          = "TooOld"
)

// AnnotationDiscover on a NodeStorage asks for a new discovery whenever its value changes.
const AnnotationDiscover = "zfsbench.io/discover"

// MaxNodeDisks is how many disks a NodeStorage lists, MaxDiskAliases how many further paths of each, and MaxNodePools
// how many pools.
const (
	MaxNodeDisks   = 256
	MaxDiskAliases = 16
	MaxNodePools   = 64
)
