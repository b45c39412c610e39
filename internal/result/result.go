// SPDX-License-Identifier: Apache-2.0

package result

import "time"

// Version is the schema version of the documents.
const Version = 1

// Trial is the result of one trial: one variant, one repetition, on one node.
type Trial struct {
	Version    int       `json:"version"`
	PlanDigest string    `json:"planDigest"`
	Index      int       `json:"index"`
	Variant    string    `json:"variant"`
	Repetition int       `json:"repetition"`
	Node       string    `json:"node"`
	Started    time.Time `json:"started"`
	Finished   time.Time `json:"finished"`
	// Failure is nil for a trial whose every workload has a sample.
	Failure *Failure `json:"failure,omitempty"`
	// Excluded are the attempts before this one, oldest first, at most MaxExcluded. They do not count.
	Excluded []Attempt `json:"excluded,omitempty"`
	// Samples are in the order of the plan's workloads; a failed trial keeps the samples that it has.
	Samples []Sample `json:"samples,omitempty"`
	// Pool is the pool of the last sample; zero for a baseline.
	Pool PoolFacts `json:"pool,omitzero"`
	// EarlierOnPool is how many trials before this one ran on the same pool or filesystem; 0 for a new one.
	EarlierOnPool int `json:"earlierOnPool,omitempty"`
	// ModuleParameters are the parameters of OpenZFS's kernel modules that the trial has set, by name, with the values
	// read back.
	ModuleParameters map[string]string `json:"moduleParameters,omitempty"`
	// PreparedDisks are the disks of the pool in the order of the plan, if the plan has them discarded; else none.
	PreparedDisks []PreparedDisk `json:"preparedDisks,omitempty"`
	// Times is how long it took to make and to destroy what the trial ran on; not what an earlier trial has made.
	Times Times `json:"times,omitzero"`
	// Features are the features of the variant's filesystem, which one of its trials has determined; nil for a benchmark
	// without baselines, where there is no filesystem, and where nothing is known.
	Features *Features `json:"features,omitempty"`
	// Claim is the volume that was claimed from Kubernetes for the trial; nil if none was. Its ZFS properties are in the
	// samples.
	Claim *ClaimFacts `json:"claim,omitempty"`
}

// PreparedDisk says how a disk was prepared before the pool was made on it.
type PreparedDisk struct {
	// Name is the benchmark's name for the disk.
	Name string `json:"name"`
	// Discarded is false for a disk that does not support it, which was left as it was.
	Discarded bool `json:"discarded"`
}

// Failure says why something did not succeed. Reason is one of the API's condition reasons, Message a sentence.
type Failure struct {
	Reason  string `json:"reason" bound:"64"`
	Message string `json:"message" bound:"1024"`
	// Tail is the end of the failing tool's output, at most 2 KiB.
	Tail string `json:"tail,omitempty" bound:"2048,lines,tail"`
}

// MaxExcluded is how many attempts of a trial may be excluded and run again.
const MaxExcluded = 2

// Attempt is a run of a trial that was excluded for a cause declared beforehand, so that the trial was run again.
type Attempt struct {
	Started  time.Time `json:"started"`
	Finished time.Time `json:"finished"`
	Failure  Failure   `json:"failure"`
	// Bandwidths are what it had measured before that, in the order of the plan's workloads.
	Bandwidths []Bandwidth `json:"bandwidths,omitempty"`
}

// Bandwidth is what is kept of a workload in an excluded attempt; 0 if it did not read, or write.
type Bandwidth struct {
	Workload            string `json:"workload"`
	Pass                int    `json:"pass,omitempty"`
	ReadBytesPerSecond  int64  `json:"readBytesPerSecond,omitempty"`
	WriteBytesPerSecond int64  `json:"writeBytesPerSecond,omitempty"`
}

// Sample is the reduced result of one workload in one trial.
type Sample struct {
	Workload string `json:"workload"`
	// Pass counts from 1 where the workload has several passes, each with a sample of its own; else it is 0.
	Pass int `json:"pass,omitempty"`
	// Tool and ToolVersion name what ran, for example fio and fio-3.39.
	Tool        string `json:"tool"`
	ToolVersion string `json:"toolVersion"`
	// Argv and JobFile are exactly what ran.
	Argv    []string  `json:"argv" bound:"1024"`
	JobFile string    `json:"jobFile,omitempty" bound:"8192,lines"`
	Started time.Time `json:"started"`
	// RuntimeNanoseconds is the wall time of the measured part, as the tool reports it.
	RuntimeNanoseconds int64      `json:"runtimeNanoseconds"`
	Read               *Operation `json:"read,omitempty"`
	Write              *Operation `json:"write,omitempty"`
	// Sync are the calls of fsync or fdatasync between writes, which move no bytes; nil if there were none.
	Sync *Operation `json:"sync,omitempty"`
	// Phases are what a tool does one after the other if it does more than read and write, at most MaxPhases. Read and
	// Write are then nil.
	Phases []Phase `json:"phases,omitempty"`
	// Jobs are several jobs of a tool that run at the same time, at most MaxJobs; Read and Write are their totals.
	Jobs []Job `json:"jobs,omitempty"`
	// Steady describes the rounds of a workload that was repeated until it was steady; nil for all others.
	Steady *SteadyState `json:"steady,omitempty"`
	// ToolCPUSeconds is user and system time of the tool's processes.
	ToolCPUSeconds float64 `json:"toolCPUSeconds"`
	// NodeCPUSeconds is the time all CPUs of the node were neither idle nor in iowait while the workload ran; it includes
	// ZFS's kernel threads.
	NodeCPUSeconds float64 `json:"nodeCPUSeconds"`
	// Others is what the node did for others while the workload ran; nil if that is not known.
	Others *Others `json:"others,omitempty"`
	// Monitors is what the monitors saw while the workload ran; nil if they could not run.
	Monitors *Monitors `json:"monitors,omitempty"`
	// Vdevs are how long requests to the pool and its vdevs took, at most MaxVdevs, in the order in which OpenZFS lists
	// them; none if that is not known. Of a workload in rounds they are from the last round.
	Vdevs []Vdev `json:"vdevs,omitempty"`
	// OmittedVdevs is how many vdevs there are beside Vdevs.
	OmittedVdevs int `json:"omittedVdevs,omitempty"`
	// DeviceReadBytes and DeviceWrittenBytes are what reached the devices of the pool or baseline from the workload's
	// start to the end of the sync after it.
	DeviceReadBytes    int64 `json:"deviceReadBytes"`
	DeviceWrittenBytes int64 `json:"deviceWrittenBytes"`
	// DeviceReads and DeviceWrites are how many requests these were, as the devices got them.
	DeviceReads  int64 `json:"deviceReads,omitempty"`
	DeviceWrites int64 `json:"deviceWrites,omitempty"`
	// DirectReadBytes and DirectWrittenBytes are what bypassed the ARC, as OpenZFS counts it from 2.3 on.
	DirectReadBytes    int64 `json:"directReadBytes,omitempty"`
	DirectWrittenBytes int64 `json:"directWrittenBytes,omitempty"`
	// SizeBytes is what each process of a workload with a relative size worked on; 0 for all other workloads.
	SizeBytes int64 `json:"sizeBytes,omitempty"`
	// CacheState is Cold or Warm, as the plan asked and the runner did.
	CacheState string `json:"cacheState"`
	// Pool is the state of the pool after the workload; zero for a baseline.
	Pool PoolFacts `json:"pool,omitzero"`
	// Baseline is the state of a baseline, or of the filesystem on a volume, after the workload; nil where there is only a
	// pool.
	Baseline *BaselineFacts `json:"baseline,omitempty"`
	// Filled says how full the pool was before and after an operation that fills it; nil for all others.
	Filled *Filled `json:"filled,omitempty"`
	// Data is what a workload stored of data that the user provides; nil for all others.
	Data *Data `json:"data,omitempty"`
	// Inspected is what zdb found on the pool afterwards; nil for a workload that does not ask for it.
	Inspected *Inspected `json:"inspected,omitempty"`
	// During is what was done with the pool while the tool ran; nil for nothing.
	During *During `json:"during,omitempty"`
}

// OnPool says whether the workload ran on a pool, also with another filesystem on one of its volumes.
func (s Sample) OnPool() bool { return s.Baseline == nil || s.Pool.Health != "" }

// Others is what a node did for others from right before a workload until right after it.
type Others struct {
	// ElapsedSeconds is how long that was.
	ElapsedSeconds float64 `json:"elapsedSeconds"`
	// CPUSeconds is the time of all processes but the runner and its own, the tool included. The kernel's threads, which
	// include OpenZFS's, do not count.
	CPUSeconds float64 `json:"cpuSeconds"`
	// StolenCPUSeconds is the time of the node's CPUs that a hypervisor gave to others, CapacityCPUSeconds all of their
	// time.
	StolenCPUSeconds   float64 `json:"stolenCPUSeconds"`
	CapacityCPUSeconds float64 `json:"capacityCPUSeconds"`
	// DiskBytes is what disks have read and written that the pool is not on.
	DiskBytes int64 `json:"diskBytes"`
}

// Operation is what a workload did by one kind of operation, as reading or writing.
type Operation struct {
	Bytes                   int64   `json:"bytes"`
	IOs                     int64   `json:"ios"`
	RuntimeNanoseconds      int64   `json:"runtimeNanoseconds"`
	BandwidthBytesPerSecond float64 `json:"bandwidthBytesPerSecond"`
	IOPS                    float64 `json:"iops"`
	// Latency is total latency: submission and completion.
	Latency Latency `json:"latency"`
}

// Latency is a distribution of latencies in nanoseconds, with the histogram that its percentiles come from.
type Latency struct {
	Count             int64   `json:"count"`
	MinNanoseconds    int64   `json:"minNanoseconds"`
	MaxNanoseconds    int64   `json:"maxNanoseconds"`
	MeanNanoseconds   float64 `json:"meanNanoseconds"`
	StddevNanoseconds float64 `json:"stddevNanoseconds"`
	P50Nanoseconds    int64   `json:"p50Nanoseconds"`
	P95Nanoseconds    int64   `json:"p95Nanoseconds"`
	P99Nanoseconds    int64   `json:"p99Nanoseconds"`
	P999Nanoseconds   int64   `json:"p999Nanoseconds"`
	// Histogram holds Count I/O; it is empty when the tool gives none or when it did not fit its transport at any
	// resolution.
	Histogram Histogram `json:"histogram,omitzero"`
}

// PoolFacts is the state of pool and dataset that a number depends on, as zpool and zfs report it.
type PoolFacts struct {
	Health string `json:"health,omitempty"`
	// Ashift is the actual one, per top-level vdev in order.
	Ashift         []int `json:"ashift,omitempty"`
	SizeBytes      int64 `json:"sizeBytes,omitempty"`
	AllocatedBytes int64 `json:"allocatedBytes,omitempty"`
	// FragmentationPercent is -1 where OpenZFS knows none.
	FragmentationPercent int     `json:"fragmentationPercent" bound:"unknown"`
	CapacityPercent      int     `json:"capacityPercent"`
	DedupRatio           float64 `json:"dedupRatio,omitempty"`
	CompressRatio        float64 `json:"compressRatio,omitempty"`
	// PoolProperties and DatasetProperties are the effective values, by name.
	PoolProperties    map[string]string `json:"poolProperties,omitempty"`
	DatasetProperties map[string]string `json:"datasetProperties,omitempty"`
	// Children are the children of the dataset, in the order of the spec.
	Children []ChildFacts `json:"children,omitempty"`
}

// ChildFacts are the effective properties of a child of the dataset.
type ChildFacts struct {
	Name       string            `json:"name"`
	Properties map[string]string `json:"properties,omitempty"`
}

// PropertiesOf are the effective properties of a child of the dataset; without a name, the properties of the dataset
// itself.
func (f PoolFacts) PropertiesOf(child string) map[string]string {
	if child == "" {
		return f.DatasetProperties
	}
	for _, c := range f.Children {
		if c.Name == child {
			return c.Properties
		}
	}
	return nil
}

// DropProperties leaves out all properties.
func (f *PoolFacts) DropProperties() {
	f.PoolProperties, f.DatasetProperties, f.Children = nil, nil, nil
}

// BaselineFacts is the state of a baseline, or of another filesystem than ZFS on a volume, that a number depends on, as
// the kernel reports it.
type BaselineFacts struct {
	// Type is the type of the filesystem, or raw.
	Type string `json:"type"`
	// SizeBytes is the size of the filesystem, AvailableBytes what files may still take of it; 0 for raw.
	SizeBytes      int64 `json:"sizeBytes,omitempty"`
	AvailableBytes int64 `json:"availableBytes,omitempty"`
	// MadeWith is the command that made the filesystem, MountOptions all that are in effect.
	MadeWith     []string `json:"madeWith,omitempty"`
	MountOptions string   `json:"mountOptions,omitempty" bound:"1024"`
	// CacheBudgetBytes is the most that the page cache could hold of it: the node's memory, or less if a cgroup had a
	// limit. For a pool, that is arcMaxBytes.
	CacheBudgetBytes int64 `json:"cacheBudgetBytes"`
	// Array is the md array that it is on; nil if it is on one disk.
	Array *ArrayFacts `json:"array,omitempty"`
}

// ArrayFacts is what an md array is, as the kernel shows it.
type ArrayFacts struct {
	// Level is raid0, raid1, raid5, raid6 or raid10, Disks the number of its devices, Degraded how many of them were
	// missing at the end of the workload.
	Level    string `json:"level"`
	Disks    int    `json:"disks"`
	Degraded int    `json:"degraded,omitempty"`
	// ChunkBytes is 0 where nothing is striped. Layout is in mdadm's words, for example left-symmetric or near=2; empty
	// for a level that has none.
	ChunkBytes int64  `json:"chunkBytes,omitempty"`
	Layout     string `json:"layout,omitempty"`
	// Bitmap is the kind of bitmap of writes that may not have reached every device: none or internal.
	Bitmap string `json:"bitmap"`
	// LeastSyncBytesPerSecond and MostSyncBytesPerSecond are the node's limits of a sync, a recovery or a check, of each
	// device: what it takes although others use the array, and the most that it takes at all. 0 for a level without
	// redundancy.
	LeastSyncBytesPerSecond int64 `json:"leastSyncBytesPerSecond,omitempty"`
	MostSyncBytesPerSecond  int64 `json:"mostSyncBytesPerSecond,omitempty"`
	// MismatchBytes is how much differed when the kernel last checked the array, in units that it compares.
	MismatchBytes int64 `json:"mismatchBytes,omitempty"`
	// MadeWith is the command that made the array.
	MadeWith []string `json:"madeWith"`
}

// NodeFacts is what the numbers of a node depend on.
type NodeFacts struct {
	OpenZFSUserland string `json:"openzfsUserland"`
	OpenZFSModule   string `json:"openzfsModule"`
	Kernel          string `json:"kernel"`
	OS              string `json:"os,omitempty"`
	CPUModel        string `json:"cpuModel,omitempty"`
	CPUs            int    `json:"cpus"`
	MemoryBytes     int64  `json:"memoryBytes"`
	ARCMaxBytes     int64  `json:"arcMaxBytes"`
	BootID          string `json:"bootID,omitempty"`
	// ModuleParameters is everything in /sys/module/{zfs,spl}/parameters that can be read, as module.parameter.
	ModuleParameters map[string]string `json:"moduleParameters,omitempty"`
}
