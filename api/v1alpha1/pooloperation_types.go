// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// PoolOperation is done with the pool itself, and timed. The workloads after it run on the pool that it leaves. With an
// md array with redundancy, scrub, offline, online and replace are possible as well; with a filesystem other than ZFS,
// trim and fill.
//
// +kubebuilder:validation:XValidation:rule=`[has(self.scrub), has(self.trim), has(self.reimport), has(self.snapshot), has(self.offline), has(self.online), has(self.replace), has(self.fill), has(self.send), has(self.clone)].exists_one(x, x)`,message="exactly one operation must be set: scrub, trim, reimport, snapshot, offline, online, replace, fill, send or clone"
type PoolOperation struct {
	// scrub reads everything that is in the pool and compares its checksums, until it is done. Errors that it finds fail
	// the trial. Its rate is what was allocated in the pool, per second. An md array is read as a whole, and what is
	// redundant compared.
	// +optional
	Scrub *ScrubOperation `json:"scrub,omitempty"`

	// trim tells the disks which of their space is free, and ends when it has told all of them. The pool must be of disks,
	// and at least one must support trim.
	// +optional
	Trim *TrimOperation `json:"trim,omitempty"`

	// reimport exports the pool and imports it again; both are timed.
	// +optional
	Reimport *ReimportOperation `json:"reimport,omitempty"`

	// snapshot takes snapshots of the dataset, one after the other, which stay until the end of the trial.
	// +optional
	Snapshot *SnapshotOperation `json:"snapshot,omitempty"`

	// offline takes a device out of use: the workloads after it run on a degraded pool.
	// +optional
	Offline *OfflineOperation `json:"offline,omitempty"`

	// online takes a device into use again that is offline, and waits until what it missed is written to it.
	// +optional
	Online *OnlineOperation `json:"online,omitempty"`

	// replace puts another device in the place of one, offline or not, and waits until all that belongs there is written
	// to it: what is allocated, or all of a device of an md array.
	// +optional
	Replace *ReplaceOperation `json:"replace,omitempty"`

	// fill writes files until a part of the usable space of the pool, or of another filesystem, is taken: the workloads
	// after it run on a full one. It needs a dataset that is a filesystem.
	// +optional
	Fill *FillOperation `json:"fill,omitempty"`

	// send sends the dataset into another one of the same pool, whole or what has changed since it was sent before. It
	// needs a dataset that is a filesystem.
	// +optional
	Send *SendOperation `json:"send,omitempty"`

	// clone makes clones of the dataset. It needs a dataset that is a filesystem.
	// +optional
	Clone *CloneOperation `json:"clone,omitempty"`
}

// ScrubOperation has nothing to choose.
type ScrubOperation struct{}

// TrimOperation has nothing to choose.
type TrimOperation struct{}

// ReimportOperation has nothing to choose.
type ReimportOperation struct{}

// SnapshotOperation takes snapshots.
type SnapshotOperation struct {
	// count is how many. Default: 1.
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
	// device is the name of a device that an operation before has taken offline.
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

	// with is the name of a device, or of a partition, that has no other place in the pool or array, and is at least as
	// large.
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

// Replacements are the names of the devices that operations put in the place of others.
func Replacements(workloads []Workload) []string {
	var names []string
	for _, w := range workloads {
		if o := w.OnPool(); o != nil && o.Replace != nil {
			names = append(names, o.Replace.With)
		}
	}
	return names
}
