// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"slices"
	"time"

	"zfsbench.io/operator/api/v1alpha1"
)

// Version is the schema version that this build writes and reads.
const Version = 1

// Plan is everything a runner needs to know to execute a benchmark on one node. It is immutable: its digest is in the
// Job's arguments.
type Plan struct {
	Version   int       `json:"version"`
	Benchmark Benchmark `json:"benchmark"`
	Node      Node      `json:"node"`
	// DryRun ends after the preflight; nothing is written to any device.
	DryRun bool `json:"dryRun,omitempty"`
	// TimeoutSeconds limits the running time from the runner's first start.
	TimeoutSeconds int64    `json:"timeoutSeconds"`
	Scratch        Scratch  `json:"scratch"`
	Devices        []Device `json:"devices"`
	// Volumes are the PersistentVolumes with a path on this node that the manager knew; none in a plan without disks.
	Volumes   []Volume            `json:"volumes,omitempty"`
	Variants  []Variant           `json:"variants"`
	Workloads []v1alpha1.Workload `json:"workloads"`
	// DevicePreparation is Discard if disks that support it are discarded before every trial; empty if not.
	DevicePreparation v1alpha1.DevicePreparation `json:"devicePreparation,omitempty"`
	// FreshPool is PerVariant if the repetitions of a variant share a pool; empty if every trial has its own.
	FreshPool v1alpha1.FreshPool `json:"freshPool,omitempty"`
	// Trials in the order in which they run.
	Trials []Trial `json:"trials"`
	// Order says how they were ordered; nil for a single variant.
	Order *Order `json:"order,omitempty"`
	// Stopping says when the plan may end before its last repetition; nil if it may not.
	Stopping *Stopping `json:"stopping,omitempty"`
	// ConfirmingRepetitions are the last ones: in them only variants are measured that lead after those before, and their
	// references. 0 for none.
	ConfirmingRepetitions int `json:"confirmingRepetitions,omitempty"`
}

// Order is how trials are ordered within their repetitions.
type Order struct {
	Kind v1alpha1.RepetitionOrder `json:"kind"`
	// Seed makes the permutations of OrderRandomized; 0 for other orders.
	Seed int64 `json:"seed,omitempty"`
}

// Stopping ends a plan after the first complete repetition, from MinRepetitions on, at which every result is certain
// enough.
type Stopping struct {
	MinRepetitions int `json:"minRepetitions"`
	// TargetRelativeError is how far the 95% interval of a result may reach from it, as a fraction: 0.025 for 2.5%.
	TargetRelativeError float64 `json:"targetRelativeError"`
}

// Benchmark identifies the ZfsBenchmark a plan was made from. The UID owns everything the runner makes.
type Benchmark struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	UID       string `json:"uid"`
}

// Node identifies the node the plan is for. UID is empty outside Kubernetes.
type Node struct {
	Name string `json:"name"`
	UID  string `json:"uid,omitempty"`
}

// Scratch is the directory on the node for the journal and for file devices.
type Scratch struct {
	Directory string `json:"directory"`
	// LimitBytes is the space all file devices together may take.
	LimitBytes int64 `json:"limitBytes"`
}

// Device is a disk with the consent that names it, or a file; exactly one of Path and FileSizeBytes is set.
type Device struct {
	Name string `json:"name"`
	// Class is the class of the spec from which the disk was chosen; empty for one that the spec names.
	Class string `json:"class,omitempty"`
	Path  string `json:"path,omitempty"`
	// Serial and SizeBytes are what the policy promises of the disk at Path.
	Serial    string `json:"serial,omitempty"`
	SizeBytes int64  `json:"sizeBytes,omitempty"`
	// OverwriteUnsigned is the policy's consent to overwrite data without a known signature.
	OverwriteUnsigned bool `json:"overwriteUnsigned,omitempty"`
	// FullScan requires that every byte of the disk is read, and is zero, before the disk is first used.
	FullScan bool `json:"fullScan,omitempty"`
	// Partitions split the disk; none for one partition of the device's name.
	Partitions    []Partition `json:"partitions,omitempty"`
	FileSizeBytes int64       `json:"fileSizeBytes,omitempty"`
}

// Partition is a part of a disk. SizeBytes is whole MiB; 0, for the last one only, is what is left.
type Partition struct {
	Name      string `json:"name"`
	SizeBytes int64  `json:"sizeBytes,omitempty"`
}

// Variant is a complete target: a pool with a dataset, or a baseline.
type Variant struct {
	Name string `json:"name"`
	// Axes are the values of the matrix's axes that make the variant; none for one that is not a combination of them.
	Axes map[string]string `json:"axes,omitempty"`
	// Reference is the name of the variant that this one is compared with; empty for none.
	Reference string `json:"reference,omitempty"`
	// Baseline replaces pool, dataset and module parameters; nil for a variant on ZFS.
	Baseline         *v1alpha1.Baseline        `json:"baseline,omitempty"`
	Pool             v1alpha1.PoolSpec         `json:"pool,omitzero"`
	Dataset          v1alpha1.DatasetSpec      `json:"dataset,omitzero"`
	ModuleParameters v1alpha1.ModuleParameters `json:"moduleParameters,omitempty"`
}

// Trial is one repetition of one variant.
type Trial struct {
	// Index is the position in Plan.Trials, and the trial's identity in journal and results.
	Index      int    `json:"index"`
	Variant    string `json:"variant"`
	Repetition int    `json:"repetition"`
	// Closing marks the reference variant's second trial, at the end of a repetition. Compared with the first one, it
	// shows how much the node drifted.
	Closing bool `json:"closing,omitempty"`
}

// Variant finds a variant by its name; false if there is none.
func (p Plan) Variant(name string) (Variant, bool) {
	i := slices.IndexFunc(p.Variants, func(v Variant) bool { return v.Name == name })
	if i < 0 {
		return Variant{}, false
	}
	return p.Variants[i], true
}

// Discards says whether the disks of every trial are discarded.
func (p Plan) Discards() bool { return p.DevicePreparation == v1alpha1.DevicePreparationDiscard }

// KeepsPools says whether the repetitions of a variant share a pool.
func (p Plan) KeepsPools() bool { return p.FreshPool == v1alpha1.FreshPoolPerVariant }

// Repetitions is the number of repetitions if the plan runs to its end, without those that confirm.
func (p Plan) Repetitions() int {
	most := 0
	for _, t := range p.Trials {
		most = max(most, t.Repetition)
	}
	return most - p.ConfirmingRepetitions
}

// Timeout is the limit on the running time.
func (p Plan) Timeout() time.Duration { return time.Duration(p.TimeoutSeconds) * time.Second }
