// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// PoolOperation is done with the pool itself, and timed. Later workloads run on the pool as the operation left it.
// scrub, offline, online and replace are also possible on an md array with redundancy, trim and fill on a filesystem
// other than ZFS.
//
// +kubebuilder:validation:XValidation:rule=`[has(self.scrub), has(self.trim), has(self.reimport), has(self.snapshot), has(self.offline), has(self.online), has(self.replace), has(self.fill), has(self.send), has(self.clone)].exists_one(x, x)`,message="exactly one operation must be set: scrub, trim, reimport, snapshot, offline, online, replace, fill, send or clone"
type PoolOperation struct {
	// scrub reads everything in the pool and verifies the checksums. The operation waits until the scrub ends; errors fail
	// the trial. Its rate is the allocated bytes of the pool per second. On an md array it reads all of the array and
	// compares the redundant data.
	// +optional
	Scrub *ScrubOperation `json:"scrub,omitempty"`

	// trim tells the disks which space is free (TRIM), and waits until this is done. The pool must be on disks, and at
	// least one must support trim.
	// +optional
	Trim *TrimOperation `json:"trim,omitempty"`

	// reimport exports the pool and imports it again; both are timed.
	// +optional
	Reimport *ReimportOperation `json:"reimport,omitempty"`

	// snapshot takes snapshots of the dataset, one after the other. They stay until the end of the trial.
	// +optional
	Snapshot *SnapshotOperation `json:"snapshot,omitempty"`

	// offline takes a device offline: later workloads run on a degraded pool.
	// +optional
	Offline *OfflineOperation `json:"offline,omitempty"`

	// online brings an offline device back, and waits until the data that it missed is written to it.
	// +optional
	Online *OnlineOperation `json:"online,omitempty"`

	// replace replaces a device, offline or not, by another one, and waits until the data is rebuilt there: the allocated
	// data of a pool, or the whole device of an md array.
	// +optional
	Replace *ReplaceOperation `json:"replace,omitempty"`

	// fill writes files until a given percentage of the usable space of the pool, or of another filesystem, is used: later
	// workloads run on a full pool. It needs a dataset that is a filesystem.
	// +optional
	Fill *FillOperation `json:"fill,omitempty"`

	// send sends the dataset to another dataset of the same pool, either all of it or only the changes since it was last
	// sent. It needs a dataset that is a filesystem.
	// +optional
	Send *SendOperation `json:"send,omitempty"`

	// clone makes clones of the dataset. It needs a dataset that is a filesystem.
	// +optional
	Clone *CloneOperation `json:"clone,omitempty"`
}

// ScrubOperation has no options.
type ScrubOperation struct{}

// TrimOperation has no options.
type TrimOperation struct{}

// ReimportOperation has no options.
type ReimportOperation struct{}

// SnapshotOperation takes snapshots.
type SnapshotOperation struct {
	// count is the number of snapshots. Default: 1.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100000
	Count int32 `json:"count,omitempty"`
}

// OfflineOperation names a device.
type OfflineOperation struct {
	// device is the name of a device, or of a partition, in a redundant vdev of the pool (vdevs, special or dedup), or of
	// the md array.
	// +required
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	Device string `json:"device"`
}

// OnlineOperation names a device.
type OnlineOperation struct {
	// device is the name of a device that an earlier operation has taken offline.
	// +required
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	Device string `json:"device"`
}

// ReplaceOperation names two devices.
type ReplaceOperation struct {
	// device is the name of a device, or of a partition, in a redundant vdev of the pool (vdevs, special or dedup), or of
	// the md array.
	// +required
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	Device string `json:"device"`

	// with is the name of the new device, or of a partition. It must be at least as large, and have no other place in the
	// pool or array.
	// +required
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	With string `json:"with"`
}

// The operations on a pool that are timed.
const (
	OperationScrub    Operation = "scrub"
	OperationTrim     Operation = "trim"
	OperationExport   Operation = "export"
	OperationImport   Operation = "import"
	OperationSnapshot Operation = "snapshot"
	OperationOffline  Operation = "offline"
	OperationOnline   Operation = "online"
	OperationReplace  Operation = "replace"
)

// Operations are what it measures.
func (o PoolOperation) Operations() []Operation {
	if o.Fill != nil {
		return o.Fill.Operations()
	}
	for _, of := range []struct {
		set bool
		all []Operation
	}{
		{o.Scrub != nil, []Operation{OperationScrub}},
		{o.Trim != nil, []Operation{OperationTrim}},
		{o.Reimport != nil, []Operation{OperationExport, OperationImport}},
		{o.Snapshot != nil, []Operation{OperationSnapshot}},
		{o.Offline != nil, []Operation{OperationOffline}},
		{o.Online != nil, []Operation{OperationOnline}},
		{o.Replace != nil, []Operation{OperationReplace}},
		{o.Send != nil, []Operation{OperationSend}},
		{o.Clone != nil, []Operation{OperationClone}},
	} {
		if of.set {
			return of.all
		}
	}
	return nil
}

// Replacements are the names of the devices that replace others.
func Replacements(workloads []Workload) []string {
	var names []string
	for _, w := range workloads {
		if o := w.OnPool(); o != nil && o.Replace != nil {
			names = append(names, o.Replace.With)
		}
	}
	return names
}
