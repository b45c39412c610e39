// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ZfsBenchmark declares a storage benchmark on OpenZFS: a pool layout, dataset properties and workloads. The operator
// runs it on the storage nodes and writes the numbers into status and into the ConfigMap NAME-results beside the
// benchmark.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=zfsb,categories=zfsbench
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="Progress",type=string,JSONPath=`.status.summary.progress`
// +kubebuilder:printcolumn:name="Nodes",type=string,JSONPath=`.status.summary.nodes`
// +kubebuilder:printcolumn:name="Write",type=string,JSONPath=`.status.summary.writeBandwidth`
// +kubebuilder:printcolumn:name="Read",type=string,JSONPath=`.status.summary.readBandwidth`
// +kubebuilder:printcolumn:name="Write-IOPS",type=string,JSONPath=`.status.summary.writeIOPS`
// +kubebuilder:printcolumn:name="Read-IOPS",type=string,JSONPath=`.status.summary.readIOPS`
// +kubebuilder:printcolumn:name="Write-P99",type=string,priority=1,JSONPath=`.status.summary.writeLatencyP99`
// +kubebuilder:printcolumn:name="Read-P99",type=string,priority=1,JSONPath=`.status.summary.readLatencyP99`
// +kubebuilder:printcolumn:name="ETA",type=string,priority=1,JSONPath=`.status.summary.estimatedCompletion`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule=`!has(self.spec.comparison) || !has(self.spec.comparison.with) || self.spec.comparison.with.all(w, !has(w.benchmark) || w.benchmark != self.metadata.name)`,fieldPath=`.spec.comparison.with`,message="comparison.with names the benchmark itself"
// +kubebuilder:validation:XValidation:rule=`size(self.metadata.name) <= 63`,message="metadata.name must be at most 63 characters: it is used in labels and in the name of the results"
type ZfsBenchmark struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is the experiment. It is immutable, except suspend, ttlSecondsAfterFinished and cleanupPolicy.
	// +required
	Spec ZfsBenchmarkSpec `json:"spec"`
	// status is written by the operator.
	// +optional
	Status ZfsBenchmarkStatus `json:"status,omitempty"`
}

// ZfsBenchmarkList is a list of benchmarks.
//
// +kubebuilder:object:root=true
type ZfsBenchmarkList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ZfsBenchmark `json:"items"`
}

// ZfsBenchmarkSpec is the experiment: where it runs, on what, with which pool and dataset, and which workloads measure
// it.
//
// +kubebuilder:validation:XValidation:rule=`for FIELD in nodes, devices, pool, dataset, moduleParameters, workloads, repetitions, matrix, baselines, comparison, thresholds, recommend, devicePreparation, dryRun, timeout: unchanged(self.FIELD, oldSelf.FIELD)`,fieldPath=`.FIELD`,message="FIELD is immutable: delete the benchmark and create a new one",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule=`self.devices.all(d, !has(d.path) || hasOwnPath(d))`,messageExpression=`'devices uses the path ' + self.devices.map(d, has(d.path) && !hasOwnPath(d), d.path)[0] + ' more than once: every device must have a path of its own'`,fieldPath=`.devices`,message="devices uses a path more than once"
// +kubebuilder:validation:XValidation:rule=`self.devices.map(d, has(d.count) ? d.count : 1).sum() <= 64`,fieldPath=`.devices`,message="devices must be at most 64, with each disk of a class counted"
// +kubebuilder:validation:XValidation:rule=`has(self.pool) || has(self.matrix) || has(self.baselines)`,fieldPath=`.pool`,message="pool is required: say how to build it from spec.devices",reason=FieldValueRequired
// +kubebuilder:validation:XValidation:rule=`!has(self.pool) || has(self.matrix) || has(self.pool.vdevs) || has(self.pool.layout)`,fieldPath=`.pool`,message="exactly one of vdevs and layout must be set: say how to build the pool from spec.devices",reason=FieldValueRequired
// +kubebuilder:validation:XValidation:rule=`for CLASS in vdevs, log, cache, special, dedup: !has(self.pool) || hasOtherNames || !has(self.pool.CLASS) || self.pool.CLASS.all(v, v.devices.all(n, isDevice(n)))`,messageExpression=`'CLASS names ' + unknownDevice(self.pool.CLASS) + ', which is not in spec.devices'`,fieldPath=`.pool.CLASS`,message="CLASS names a device that is not in spec.devices"
// +kubebuilder:validation:XValidation:rule=`for LIST in devices, spares: !has(self.pool) || hasOtherNames || !has(self.pool.LIST) || self.pool.LIST.all(n, isDevice(n))`,messageExpression=`'LIST names ' + self.pool.LIST.filter(n, !isDevice(n))[0] + ', which is not in spec.devices'`,fieldPath=`.pool.LIST`,message="LIST names a device that is not in spec.devices"
// +kubebuilder:validation:XValidation:rule=`!has(self.pool) || self.devices.all(d, places(d.name) <= 1)`,messageExpression=`'pool uses device ' + self.devices.map(d, places(d.name) > 1, d.name)[0] + ' more than once: every device has one place'`,fieldPath=`.pool`,message="pool uses a device more than once: every device has one place"
// +kubebuilder:validation:XValidation:rule=`!has(self.pool) || has(self.matrix) || has(self.baselines) || replacesDevice || self.devices.all(d, hasOtherName(d) || places(d.name) >= 1)`,messageExpression=`'device ' + self.devices.map(d, !hasOtherName(d) && places(d.name) == 0, d.name)[0] + ' has no place in the pool: use it or remove it'`,fieldPath=`.devices`,message="a device has no place in the pool: use it or remove it"
// +kubebuilder:validation:XValidation:rule=`!has(self.pool) || !(self.devices.exists(d, has(d.file) && storesData(d.name)) && self.devices.exists(d, has(d.path) && storesData(d.name)))`,fieldPath=`.pool`,message="vdevs, special and dedup must be all of disks or all of files: zpool mixes them only with -f"
// +kubebuilder:validation:XValidation:rule=`!has(self.dataset) || !has(self.dataset.volume) || !isWhole(self.dataset.volume.size) || self.workloads.all(w, !hasFioSize(w) || fioFiles(w.fio) <= bytesOf(self.dataset.volume.size))`,fieldPath=`.workloads`,message="workloads must fit into the volume: size x numJobs is more than dataset.volume.size"
// +kubebuilder:validation:XValidation:rule=`!has(self.repetitions) || !has(self.repetitions.confirm) || hasReference`,fieldPath=`.repetitions.confirm`,message="a winner is confirmed against its reference: name one in spec.comparison.reference"
// +kubebuilder:validation:XValidation:rule=`!has(self.comparison) || !has(self.comparison.reference) || has(self.matrix) || has(self.baselines)`,fieldPath=`.comparison.reference`,message="comparison.reference needs a matrix or baselines: there is only one variant"
// +kubebuilder:validation:XValidation:rule=`!has(self.thresholds) || self.thresholds.all(t, self.workloads.exists(w, w.name == t.workload))`,fieldPath=`.thresholds`,message="thresholds names a workload that is not in spec.workloads"
// +kubebuilder:validation:XValidation:rule=`!has(self.thresholds) || self.thresholds.all(t, self.workloads.all(w, w.name != t.workload || !hasOneFioPattern(w) || doesIO(t.metric, w.fio.rw)))`,fieldPath=`.thresholds`,message="thresholds has a metric of reading for a workload that only writes, or of writing for one that only reads"
// +kubebuilder:validation:XValidation:rule=`!has(self.thresholds) || self.thresholds.all(t, !has(t.relativeTo) || (t.relativeTo == 'Reference' ? hasReference : comparesWith(t.relativeTo)))`,fieldPath=`.thresholds`,message="relativeTo needs comparison.reference, or must be a name in comparison.with"
type ZfsBenchmarkSpec struct {
	// nodes are the storage nodes to run on. Every node must carry the label zfsbench.io/allowed=true.
	// +required
	Nodes NodesSpec `json:"nodes"`

	// devices are the named building blocks of pools and baselines: whole disks by stable path, disks of a class, or
	// preallocated files.
	// +required
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=64
	Devices []Device `json:"devices"`

	// pool is the layout and the properties of the pool that each trial creates and destroys. It may be left out if the
	// matrix sets the vdevs, or layout and devices, of every variant, or if there are only baselines.
	// +optional
	Pool *PoolSpec `json:"pool,omitempty"`

	// dataset is what the workloads run on: a filesystem or a volume (zvol) in the pool. Default: a filesystem with
	// OpenZFS's own defaults.
	// +optional
	Dataset *DatasetSpec `json:"dataset,omitempty"`

	// moduleParameters are parameters of OpenZFS's kernel modules that each trial sets before it makes its pool and
	// restores when the pool is gone. They apply to all pools of the node, so nobody else's pool may be imported there,
	// and a BenchmarkDevicePolicy has to list each. Quote numbers: "5".
	// +optional
	ModuleParameters ModuleParameters `json:"moduleParameters,omitempty"`

	// workloads are run one after the other, in this order, in every trial.
	// +required
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	Workloads []Workload `json:"workloads"`

	// matrix says what to vary. Without it there is one variant: pool and dataset as they are.
	// +optional
	Matrix *MatrixSpec `json:"matrix,omitempty"`

	// baselines are variants without a ZFS pool of the benchmark. They run the same workloads and repetitions, so the
	// other variants can be compared with them. They need no pool; without pool and matrix only they are measured.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	Baselines []Baseline `json:"baselines,omitempty"`

	// repetitions says how often every variant is measured; each repetition of a variant is a trial on a fresh pool or
	// filesystem. Default: 6 repetitions if variants or benchmarks are compared (comparison.reference, comparison.with or
	// recommend), else once.
	// +optional
	Repetitions *RepetitionsSpec `json:"repetitions,omitempty"`

	// devicePreparation is what is done to the disks of every trial before its pool or filesystem is made, whatever the
	// variant. Discard discards all blocks of the benchmark's partitions, so that no trial inherits what another wrote.
	// Disks that do not support this are left as they are, and the results say so. None leaves all disks as they are.
	// Files are new for every pool. Default: Discard.
	// +optional
	// +kubebuilder:default=Discard
	DevicePreparation DevicePreparation `json:"devicePreparation,omitempty"`

	// comparison says what the variants are compared with.
	// +optional
	Comparison *ComparisonSpec `json:"comparison,omitempty"`

	// thresholds set the condition ThresholdsMet when the benchmark finishes: True if all are met. A pipeline can wait for
	// this condition, and stop if it is not True.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	Thresholds []Threshold `json:"thresholds,omitempty"`

	// recommend adds the recommended variant to the results when the benchmark finishes, with storageclass.yaml and
	// zpool-create.txt, which create it.
	// +optional
	Recommend *RecommendSpec `json:"recommend,omitempty"`

	// dryRun runs the whole preflight on the nodes, writes nothing to any device, and reports what would happen.
	// +optional
	DryRun bool `json:"dryRun,omitempty"`

	// timeout limits the running time on each node, from the runner's start. After it, the benchmark ends as Failed and
	// keeps what was measured. Whole seconds, at most 30 days. Default: computed from the plan. A BenchmarkDevicePolicy
	// may set a maximum.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=24
	// +kubebuilder:validation:XValidation:rule=`secondsWithin(self, '1m', '720h')`,message="timeout must be whole seconds from 1m to 720h, for example 4h"
	Timeout *metav1.Duration `json:"timeout,omitempty"`

	// suspend pauses the benchmark after the current trial. Set it back to false to go on with the next trial.
	// +optional
	Suspend bool `json:"suspend,omitempty"`

	// cleanupPolicy says whether the Jobs and the raw results are deleted when the benchmark has finished. Pools never
	// outlive their trial.
	// +optional
	// +kubebuilder:default=OnSuccess
	CleanupPolicy CleanupPolicy `json:"cleanupPolicy,omitempty"`

	// ttlSecondsAfterFinished deletes the benchmark and its results this many seconds after it has finished. Default:
	// never.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2147483647
	TTLSecondsAfterFinished *int32 `json:"ttlSecondsAfterFinished,omitempty"`
}

// NodesSpec chooses the storage nodes; exactly one of names and selector is set.
//
// +kubebuilder:validation:XValidation:rule=`has(self.names) != has(self.selector)`,message="exactly one of names and selector must be set"
type NodesSpec struct {
	// names are the nodes' names.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=253
	// +kubebuilder:validation:items:XValidation:rule=`isDNSName(self)`,message="names must be names of nodes: lower-case letters, digits, '-' and '.'"
	Names []string `json:"names,omitempty"`

	// selector chooses nodes by their labels, once, when the benchmark is accepted.
	// +optional
	Selector *metav1.LabelSelector `json:"selector,omitempty"`

	// maxParallel is how many nodes may run at once. Default: all.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=64
	MaxParallel *int32 `json:"maxParallel,omitempty"`
}

// DevicePreparation is what is done to a trial's disks before its pool or filesystem is made.
//
// +kubebuilder:validation:Enum=Discard;None
type DevicePreparation string

const (
	// DevicePreparationDiscard discards the benchmark's partitions (BLKDISCARD) on disks that support it.
	DevicePreparationDiscard DevicePreparation = "Discard"
	// DevicePreparationNone leaves disks as the trial before left them.
	DevicePreparationNone DevicePreparation = "None"
)

// CleanupPolicy says whether Jobs and raw results are deleted. Pools are always destroyed.
//
// +kubebuilder:validation:Enum=OnSuccess;Always;Never
type CleanupPolicy string

const (
	// CleanupOnSuccess deletes Jobs and raw results of a complete benchmark. After a failure it keeps them as evidence.
	CleanupOnSuccess CleanupPolicy = "OnSuccess"
	// CleanupAlways deletes them as soon as the benchmark has finished.
	CleanupAlways CleanupPolicy = "Always"
	// CleanupNever keeps them until the benchmark is deleted.
	CleanupNever CleanupPolicy = "Never"
)
