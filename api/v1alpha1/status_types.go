// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// ZfsBenchmarkStatus is what the operator knows of a benchmark. It holds no floating-point numbers: full precision is
// in the results ConfigMap.
type ZfsBenchmarkStatus struct {
	// observedGeneration is the generation of the spec that this status describes.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// phase is derived from the conditions, for the print columns only; programs use the conditions.
	// +optional
	Phase string `json:"phase,omitempty"`

	// conditions say what the benchmark is doing (Accepted, Running, Finished), how it ended (Complete, Failed), and what
	// matters about its results (Converged, ThresholdsMet, ResultsPublished, and warnings such as NodeNotQuiet).
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// startTime is when the first node began.
	// +optional
	StartTime *metav1.Time `json:"startTime,omitempty"`

	// completionTime is when the benchmark finished, complete or failed.
	// +optional
	CompletionTime *metav1.Time `json:"completionTime,omitempty"`

	// progress counts trials over all nodes; unset for a dry run, which has none.
	// +optional
	Progress *Progress `json:"progress,omitempty"`

	// summary holds preformatted text for the print columns.
	// +optional
	Summary *Summary `json:"summary,omitempty"`

	// nodes are the nodes that take part, with what the numbers depend on.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=64
	Nodes []NodeStatus `json:"nodes,omitempty"`

	// devices says which devices of which nodes are usable, and why the others are not. It is set after a dry run, and for
	// nodes whose preflight failed. The refused devices come first; the list is bounded.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	Devices []DeviceStatus `json:"devices,omitempty"`

	// results are the medians over repetitions per workload, variant, node and operation; bounded.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	Results []ResultStatus `json:"results,omitempty"`

	// omittedResults is how many results are only in the results ConfigMap.
	// +optional
	OmittedResults int32 `json:"omittedResults,omitempty"`

	// resultsConfigMap is the ConfigMap, in the benchmark's namespace, with summary.md, results.csv and results.json.
	// +optional
	ResultsConfigMap string `json:"resultsConfigMap,omitempty"`
}

// Progress counts trials over all nodes.
type Progress struct {
	// trials are the counts over all nodes.
	Trials TrialCounts `json:"trials"`
	// percent is 0 to 100, with the running trial counted in part.
	Percent int32 `json:"percent"`
	// currentVariant is the variant that runs now, on the first running node.
	// +optional
	CurrentVariant string `json:"currentVariant,omitempty"`
	// currentRepetition is the repetition that runs now, from 1.
	// +optional
	CurrentRepetition int32 `json:"currentRepetition,omitempty"`
	// currentWorkload is the workload that runs now.
	// +optional
	CurrentWorkload string `json:"currentWorkload,omitempty"`
	// estimatedCompletionTime is when the benchmark is expected to finish; unset until the first trial has finished.
	// +optional
	EstimatedCompletionTime *metav1.Time `json:"estimatedCompletionTime,omitempty"`
}

// TrialCounts counts trials.
type TrialCounts struct {
	// total is the number of trials in the plan.
	Total int32 `json:"total"`
	// completed is the number of trials with a result for every workload.
	Completed int32 `json:"completed"`
	// failed is the number of trials that ended without all of their results. A trial whose attempt is excluded and run
	// again is not among them, unless its last attempt fails too.
	Failed int32 `json:"failed"`
}

// Summary holds preformatted text for the print columns, for example "1.21 GiB/s" or "18.4k".
type Summary struct {
	// progress is the completed and the total trials, for example 3/6, or "dry run".
	// +optional
	Progress string `json:"progress,omitempty"`
	// nodes names the node, or counts them.
	// +optional
	Nodes string `json:"nodes,omitempty"`
	// writeBandwidth is the best median of the workloads that write. It and the fields below are empty while a benchmark
	// of several variants runs, because the best variant may still change.
	// +optional
	WriteBandwidth string `json:"writeBandwidth,omitempty"`
	// readBandwidth is the best median of the workloads that read.
	// +optional
	ReadBandwidth string `json:"readBandwidth,omitempty"`
	// writeIOPS is the best median number of writes per second.
	// +optional
	WriteIOPS string `json:"writeIOPS,omitempty"`
	// readIOPS is the best median number of reads per second.
	// +optional
	ReadIOPS string `json:"readIOPS,omitempty"`
	// writeLatencyP99 is the 99th percentile of total write latency, of the workload behind writeIOPS.
	// +optional
	WriteLatencyP99 string `json:"writeLatencyP99,omitempty"`
	// readLatencyP99 is the 99th percentile of total read latency, of the workload behind readIOPS.
	// +optional
	ReadLatencyP99 string `json:"readLatencyP99,omitempty"`
	// estimatedCompletion is when the benchmark is expected to finish.
	// +optional
	EstimatedCompletion string `json:"estimatedCompletion,omitempty"`
}

// NodeStatus is one node's part of the benchmark and the facts its numbers depend on.
type NodeStatus struct {
	// name of the node.
	Name string `json:"name"`
	// uid of the Node object.
	// +optional
	UID string `json:"uid,omitempty"`
	// state is Waiting, Queued, Running, Suspended, Complete or Failed.
	// +optional
	State string `json:"state,omitempty"`
	// reason of a failed node, one of the reasons of the conditions.
	// +optional
	Reason string `json:"reason,omitempty"`
	// message says why, as a sentence.
	// +optional
	Message string `json:"message,omitempty"`
	// trials are the counts of this node.
	// +optional
	Trials TrialCounts `json:"trials,omitempty"`
	// disks are the disks that were chosen for the classes of the spec when the benchmark was accepted. They stay the same
	// until it ends.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	Disks []ChosenDisk `json:"disks,omitempty"`
	// openzfsUserland is the version of zpool and zfs, for example 2.3.2-1.
	// +optional
	OpenZFSUserland string `json:"openzfsUserland,omitempty"`
	// openzfsModule is the version of the loaded kernel module.
	// +optional
	OpenZFSModule string `json:"openzfsModule,omitempty"`
	// kernel is the release of the running kernel.
	// +optional
	Kernel string `json:"kernel,omitempty"`
	// arcMaxBytes is c_max of arcstats, in bytes.
	// +optional
	ARCMaxBytes int64 `json:"arcMaxBytes,omitempty"`
	// memoryBytes is MemTotal, in bytes.
	// +optional
	MemoryBytes int64 `json:"memoryBytes,omitempty"`
	// cpus is the number of online CPUs.
	// +optional
	CPUs int32 `json:"cpus,omitempty"`
}

// ChosenDisk is a disk of a class.
type ChosenDisk struct {
	// name that the spec's pools use, for example d0.
	// +kubebuilder:validation:MaxLength=32
	Name string `json:"name"`
	// class, as the spec and the policy have it.
	// +kubebuilder:validation:MaxLength=63
	Class string `json:"class"`
	// path of the disk on the node.
	// +kubebuilder:validation:MaxLength=255
	Path string `json:"path"`
}

// DeviceStatus is the preflight's result for one device on one node.
type DeviceStatus struct {
	// node, by name.
	Node string `json:"node"`
	// name of the device in the spec.
	Name string `json:"name"`
	// usable says whether the device passed all checks.
	Usable bool `json:"usable"`
	// message says why the device is refused, as a sentence that names it.
	// +optional
	Message string `json:"message,omitempty"`
}

// Operation is what was measured: read, write or another operation of the workload, for example create.
//
// +kubebuilder:validation:MaxLength=40
// +kubebuilder:validation:Pattern=`^[a-z][A-Za-z0-9]*$`
type Operation string

// The operations of fio; a tree has read and write as well. Sync is each call of fsync or fdatasync, which moves no
// bytes.
const (
	OperationRead  Operation = "read"
	OperationWrite Operation = "write"
	OperationSync  Operation = "sync"
)

// ResultStatus is the median over the repetitions of one workload, variant, node and operation.
type ResultStatus struct {
	// workload, by name.
	Workload string `json:"workload"`
	// variant, by name.
	Variant string `json:"variant"`
	// node, by name.
	Node string `json:"node"`
	// operation is read, write or another operation of the workload, for example create.
	Operation Operation `json:"operation"`
	// repetitions is the number of repetitions behind the medians.
	Repetitions int32 `json:"repetitions"`
	// bandwidthBytesPerSecond is the median bandwidth, in bytes per second.
	BandwidthBytesPerSecond int64 `json:"bandwidthBytesPerSecond"`
	// iops is the median number of I/O operations per second, rounded.
	IOPS int64 `json:"iops"`
	// meanLatencyNanoseconds is the mean total latency (submission and completion) over all repetitions, in nanoseconds.
	MeanLatencyNanoseconds int64 `json:"meanLatencyNanoseconds"`
	// p50LatencyNanoseconds is the median total latency, from the merged histograms of all repetitions, in nanoseconds.
	P50LatencyNanoseconds int64 `json:"p50LatencyNanoseconds"`
	// p95LatencyNanoseconds is the 95th percentile of the same, in nanoseconds.
	P95LatencyNanoseconds int64 `json:"p95LatencyNanoseconds"`
	// p99LatencyNanoseconds is the 99th percentile of the same, in nanoseconds.
	P99LatencyNanoseconds int64 `json:"p99LatencyNanoseconds"`
	// p999LatencyNanoseconds is the 99.9th percentile of the same, in nanoseconds.
	P999LatencyNanoseconds int64 `json:"p999LatencyNanoseconds"`
	// limitingFactor is what kept the workload from being faster in most of the repetitions: cpu, sync, device with its
	// name, arc, or none where nothing was found at its limit. It is unset where nothing was observed, or not for long
	// enough. The evidence is in the ConfigMap.
	// +optional
	LimitingFactor string `json:"limitingFactor,omitempty"`
	// ratio is the bandwidth divided by the reference variant's, the geometric mean over repetitions, for example
	// "1.243"; unset without a reference.
	// +optional
	Ratio string `json:"ratio,omitempty"`
	// ratioInterval contains the true ratio with 95% confidence, for example "1.201 to 1.287"; unset for fewer than 2
	// repetitions.
	// +optional
	RatioInterval string `json:"ratioInterval,omitempty"`
	// verdict is the result of the comparison with the reference variant: Better or Worse beyond the margin, Equivalent
	// within it, or Inconclusive, which does not mean equal. It is Reference for the reference variant itself, and unset
	// without one.
	// +optional
	// +kubebuilder:validation:Enum=Better;Worse;Equivalent;Inconclusive;Reference
	Verdict string `json:"verdict,omitempty"`
	// confirmed says whether a winner is also better than its reference, by more than the margin, in the repetitions that
	// confirm it (spec.repetitions.confirm). It is unset for other variants, and until the benchmark has finished.
	// +optional
	Confirmed *bool `json:"confirmed,omitempty"`
}
