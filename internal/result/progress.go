// SPDX-License-Identifier: Apache-2.0

package result

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// The states of a runner, from Progress.
const (
	// StateWaiting means that another runner works on the node: this one waits, and has touched nothing.
	StateWaiting   = "Waiting"
	StatePreflight = "Preflight"
	StateRunning   = "Running"
	// StateSuspended is final for this runner process: it stopped between two trials because it was asked to.
	StateSuspended = "Suspended"
	StateComplete  = "Complete"
	StateFailed    = "Failed"
	// StateCleaned is final for `runner cleanup`: nothing of the benchmark is left on the node.
	StateCleaned = "Cleaned"
)

// Progress is what a runner says while it works, at most once in five seconds, and at each change of state. The last
// one is the report: its State is then Suspended, Complete, Failed or Cleaned.
type Progress struct {
	Version    int       `json:"version"`
	PlanDigest string    `json:"planDigest"`
	State      string    `json:"state"`
	Updated    time.Time `json:"updated"`
	// Started is when the first runner of this plan began; it survives restarts.
	Started time.Time  `json:"started"`
	Node    *NodeFacts `json:"node,omitempty"`
	// Completed and Failed count finished trials.
	Completed int `json:"completed"`
	Failed    int `json:"failed"`
	// Current is nil between trials.
	Current *CurrentTrial `json:"current,omitempty"`
	// Gone says which recorded disks were given up, and why.
	Gone []string `json:"gone,omitempty"`
	// Scan is nil unless disks are being read as a whole.
	Scan *ScanProgress `json:"scan,omitempty"`
	// Waiting names the runner on the node that this one waits for; empty if it does not wait. State stays as last
	// reported.
	Waiting string `json:"waiting,omitempty"`
	// Failure is set in state Failed.
	Failure *Failure `json:"failure,omitempty"`
	// Preflight is the outcome of the preflight, per device and in general.
	Preflight *Preflight `json:"preflight,omitempty"`
}

// ScanProgress is how much has been read of the disks that are read as a whole, all together.
type ScanProgress struct {
	Devices    int   `json:"devices"`
	ReadBytes  int64 `json:"readBytes"`
	TotalBytes int64 `json:"totalBytes"`
}

// Percent is 0 to 100.
func (s ScanProgress) Percent() int {
	return int(100 * float64(s.ReadBytes) / float64(max(s.TotalBytes, 1)))
}

// CurrentTrial is what runs now.
type CurrentTrial struct {
	Index      int    `json:"index"`
	Variant    string `json:"variant"`
	Repetition int    `json:"repetition"`
	// Step is what the engine does, for example "create pool" or "workload".
	Step     string `json:"step"`
	Workload string `json:"workload,omitempty"`
	// Percent is 0 to 100 of the current trial.
	Percent int `json:"percent"`
	// ReadBytesPerSecond and WriteBytesPerSecond are fio's current rates.
	ReadBytesPerSecond  int64 `json:"readBytesPerSecond,omitempty"`
	WriteBytesPerSecond int64 `json:"writeBytesPerSecond,omitempty"`
}

// Ownership is the intent recorded, in the node's journal and in the API, before anything is written to a device: what
// the benchmark is about to own. It is cleared after the last of it is gone.
type Ownership struct {
	Version      int    `json:"version"`
	BenchmarkUID string `json:"benchmarkUID"`
	PlanDigest   string `json:"planDigest"`
	TrialIndex   int    `json:"trialIndex"`
	// PoolName is unique to benchmark and trial; PoolComment is the benchmark's UID without hyphens. Both are empty if
	// there is no pool.
	PoolName    string `json:"poolName,omitempty"`
	PoolComment string `json:"poolComment,omitempty"`
	// PoolGUID is empty until the pool exists.
	PoolGUID string `json:"poolGUID,omitempty"`
	// PoolGone says that the pool has been exported and found to hold nothing else, so that its devices can be released.
	// Only the journal says so.
	PoolGone bool `json:"poolGone,omitempty"`
	// Datasets are all datasets the runner made in the pool.
	Datasets []string `json:"datasets,omitempty"`
	// Snapshots are the snapshots of the datasets that it made, or is about to make.
	Snapshots []OwnedSnapshots `json:"snapshots,omitempty"`
	// Clones are the clones that it made, or is about to make.
	Clones []OwnedClones `json:"clones,omitempty"`
	// Baseline is the type of a baseline's filesystem, or raw; empty for a pool.
	Baseline string `json:"baseline,omitempty"`
	// Claim is what the manager has made, or will be asked to make, in Kubernetes: a claim, its StorageClass and a pod.
	// They are removed first. Nil if there is none.
	Claim   *OwnedClaim   `json:"claim,omitempty"`
	Devices []OwnedDevice `json:"devices"`
	// ModuleParameters are the parameters of OpenZFS's kernel modules that the trial may change. They are restored, unless
	// the node was rebooted since: BootID is the ID of the boot that they belong to.
	ModuleParameters []ModuleParameter `json:"moduleParameters,omitempty"`
	BootID           string            `json:"bootID,omitempty"`
}

// OwnedClaim is a claim to a volume.
type OwnedClaim struct {
	// PoolTrial is the index of the trial that made the pool, which is in its name.
	PoolTrial int `json:"poolTrial"`
	// Keep says that the volume may hold data that is not the benchmark's: the claim is removed, the volume stays. It is
	// set for a volume of an existing StorageClass until the runner has seen that it is empty.
	Keep bool `json:"keep,omitempty"`
}

// OwnedSnapshots are the snapshots of a dataset that are called PREFIX1 to PREFIXCount.
type OwnedSnapshots struct {
	Dataset string `json:"dataset"`
	Prefix  string `json:"prefix"`
	Count   int    `json:"count"`
}

// Name is the name of a snapshot, without the dataset; they are counted from 1.
func (s OwnedSnapshots) Name(i int) string { return s.Prefix + strconv.Itoa(i) }

// owns says whether one of them has this full name.
func (s OwnedSnapshots) owns(name string) bool {
	return isNumbered(name, s.Dataset+"@"+s.Prefix, s.Count)
}

// OwnedClones are the datasets that are called PREFIX1 to PREFIXCount, in full.
type OwnedClones struct {
	Prefix string `json:"prefix"`
	Count  int    `json:"count"`
}

// Name is the name of a clone; they are counted from 1.
func (c OwnedClones) Name(i int) string { return c.Prefix + strconv.Itoa(i) }

func (c OwnedClones) owns(name string) bool { return isNumbered(name, c.Prefix, c.Count) }

// isNumbered says whether a name is a prefix with a number from 1 on.
func isNumbered(name, prefix string, count int) bool {
	number, found := strings.CutPrefix(name, prefix)
	i, err := strconv.Atoi(number)
	return found && err == nil && i >= 1 && i <= count && number == strconv.Itoa(i)
}

// OwnsDataset says whether a filesystem, volume or snapshot is recorded.
func (o Ownership) OwnsDataset(name string) bool {
	return slices.Contains(o.Datasets, name) || slices.ContainsFunc(o.Snapshots, func(s OwnedSnapshots) bool {
		return s.owns(name)
	}) ||
		slices.ContainsFunc(o.Clones, func(c OwnedClones) bool { return c.owns(name) })
}

// OwnedDevice is a disk whose partition table the runner writes, or a file it makes.
type OwnedDevice struct {
	Name string `json:"name"`
	// Path, Serial and SizeBytes identify the disk. The GUIDs of its table and of its partitions are chosen before the
	// table is written, so that they prove ownership before a pool GUID exists.
	Path      string `json:"path,omitempty"`
	Serial    string `json:"serial,omitempty"`
	SizeBytes int64  `json:"sizeBytes"`
	DiskGUID  string `json:"diskGUID,omitempty"`
	// Partitions of the disk, in their order on it.
	Partitions []OwnedPartition `json:"partitions,omitempty"`
	// File is the absolute path of a file device.
	File string `json:"file,omitempty"`
	// Gone says why a disk is no longer the benchmark's: it is not touched. Only the journal has it.
	Gone string `json:"gone,omitempty"`
}

// OwnedPartition is a partition of a disk's table.
type OwnedPartition struct {
	// Name is the benchmark's name for the partition: the disk's own, if it is the only one.
	Name string `json:"name"`
	GUID string `json:"guid"`
	// SizeBytes is whole MiB; 0 is all that is left of the disk.
	SizeBytes int64 `json:"sizeBytes,omitempty"`
	// FilesystemUUID is the UUID of the only filesystem, other than ZFS, that may be found in the partition. It is chosen
	// before the filesystem is made, so that what a crash leaves there proves who owns it. Empty if there may be none.
	FilesystemUUID string `json:"filesystemUUID,omitempty"`
	// ArrayUUID is the UUID of the only md array that the partition may be a member of, chosen before the array is made.
	// FilesystemUUID is then the UUID of the filesystem on the array. Empty if it may be in none.
	ArrayUUID string `json:"arrayUUID,omitempty"`
}

// ArrayUUID is the UUID of the md array that is owned, or will be; empty if there is none.
func (o Ownership) ArrayUUID() string {
	for _, d := range o.Devices {
		for _, p := range d.Partitions {
			if p.ArrayUUID != "" {
				return p.ArrayUUID
			}
		}
	}
	return ""
}
