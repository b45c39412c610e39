// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// FioWorkload is one fio job, or several. The fields are fio's options; other options cannot be set. With jobs, they
// are the defaults of each job.
//
// +kubebuilder:validation:XValidation:rule=`has(self.rw) || has(self.preset) || (has(self.jobs) && self.jobs.all(j, has(j.rw)))`,fieldPath=`.rw`,message="rw is required, in fio, by its preset, or in each of its jobs",reason=FieldValueRequired
// +kubebuilder:validation:XValidation:rule=`has(self.size) || has(self.relativeSize) || (has(self.jobs) ? self.jobs.all(j, has(j.size)) : has(self.preset))`,fieldPath=`.size`,message="size is required, in fio or in each of its jobs; only a preset without jobs has a default",reason=FieldValueRequired
// +kubebuilder:validation:XValidation:rule=`has(self.jobs) || has(self.bsSplit) || (has(self.preset) && !has(self.bs)) || !has(self.size) || !isFioSize(fioBS) || !isWhole(self.size) || bytesOf(self.size) % fioBytes(fioBS) == 0`,fieldPath=`.size`,message="size must be a multiple of bs"
// +kubebuilder:validation:XValidation:rule=`has(self.jobs) || !has(self.ioDepth) || self.ioDepth == 1 || (has(self.ioEngine) && self.ioEngine in ['libaio', 'io_uring', 'posixaio'])`,fieldPath=`.ioDepth`,message="ioDepth above 1 needs an asynchronous ioEngine: libaio, io_uring or posixaio"
// +kubebuilder:validation:XValidation:rule=`has(self.jobs) || !isFioSize(fioBS) || fioBuffers <= 4Gi`,fieldPath=`.bs`,message="bs x ioDepth x numJobs, the memory for buffers, must be at most 4 GiB"
// +kubebuilder:validation:XValidation:rule=`has(self.jobs) || !isDirect || !usesMmap`,fieldPath=`.direct`,message="direct has no meaning with ioEngine mmap: remove one of the two"
// +kubebuilder:validation:XValidation:rule=`has(self.jobs) || !isDirect || !isFioSize(fioBS) || fioBytes(fioBS) % 512 == 0`,fieldPath=`.bs`,message="bs must be a multiple of 512 with direct"
// +kubebuilder:validation:XValidation:rule=`has(self.jobs) || !isSync || !onlyReads`,fieldPath=`.sync`,message="sync has no effect on rw read and randread: remove it"
// +kubebuilder:validation:XValidation:rule=`has(self.jobs) || !isSync || !usesMmap`,fieldPath=`.sync`,message="sync has no effect with ioEngine mmap: use fsync"
// +kubebuilder:validation:XValidation:rule=`has(self.jobs) || !has(self.fsync) || self.fsync == 0 || !onlyReads`,fieldPath=`.fsync`,message="fsync has no effect on rw read and randread: remove it"
// +kubebuilder:validation:XValidation:rule=`has(self.jobs) || !has(self.fdatasync) || self.fdatasync == 0 || !onlyReads`,fieldPath=`.fdatasync`,message="fdatasync has no effect on rw read and randread: remove it"
// +kubebuilder:validation:XValidation:rule=`has(self.jobs) || !has(self.fdatasync) || self.fdatasync == 0 || !has(self.fsync) || self.fsync == 0`,fieldPath=`.fdatasync`,message="only one of fsync and fdatasync can be set: their latencies would be measured together"
// +kubebuilder:validation:XValidation:rule=`has(self.jobs) || !has(self.rwMixRead) || !has(self.rw) || self.rw in ['readwrite', 'randrw']`,fieldPath=`.rwMixRead`,message="rwMixRead is only for rw readwrite and randrw: remove it"
// +kubebuilder:validation:XValidation:rule=`has(self.jobs) || has(self.preset) || !has(self.timeBased) || !self.timeBased || has(self.runtime)`,fieldPath=`.runtime`,message="runtime is required with timeBased, for example 60s",reason=FieldValueRequired
// +kubebuilder:validation:XValidation:rule=`has(self.jobs) || has(self.preset) || !has(self.rampTime) || (has(self.timeBased) && self.timeBased)`,fieldPath=`.rampTime`,message="rampTime needs timeBased: without it the ramp may be the whole job"
// +kubebuilder:validation:XValidation:rule=`!has(self.rate) || !has(self.rateIOPS)`,fieldPath=`.rate`,message="only one of rate and rateIOPS can be set"
// +kubebuilder:validation:XValidation:rule=`!has(self.bs) || !has(self.bsSplit)`,fieldPath=`.bsSplit`,message="only one of bs and bsSplit can be set"
// +kubebuilder:validation:XValidation:rule=`!has(self.passes) || self.passes == 1 || !has(self.jobs)`,fieldPath=`.passes`,message="passes and jobs cannot be combined: remove one of the two"
// +kubebuilder:validation:XValidation:rule=`!has(self.steadyState) || !has(self.jobs) && (!has(self.passes) || self.passes == 1)`,fieldPath=`.steadyState`,message="steadyState cannot be combined with jobs or passes: remove one of them"
// +kubebuilder:validation:XValidation:rule=`!has(self.steadyState) || has(self.preset) || has(self.timeBased) && self.timeBased`,fieldPath=`.steadyState`,message="steadyState needs timeBased and a runtime: each round runs that long"
// +kubebuilder:validation:XValidation:rule=`!has(self.relativeSize) || !has(self.size) && !has(self.jobs)`,fieldPath=`.relativeSize`,message="relativeSize cannot be combined with size or jobs: remove one of them"
type FioWorkload struct {
	// preset is a known workload. Its values apply to all fields that are not set. Results say what ran.
	// +optional
	Preset FioPreset `json:"preset,omitempty"`

	// rw is the direction and order of the I/O.
	// +optional
	RW FioRW `json:"rw,omitempty"`

	// bs is the block size, as fio reads it: k and M are powers of 1024; from 1 byte to 64M. (To fio, Ki and Mi are powers
	// of 1000: not allowed.) The word recordsize means the recordsize of the variant's dataset, or the volblocksize of its
	// volume. Default: 4k.
	// +optional
	// +kubebuilder:validation:MaxLength=10
	// +kubebuilder:validation:XValidation:rule=`self == 'recordsize' || isFioSize(self) && fioBytes(self) <= 64Mi`,message="bs must be a number of bytes from 1 to 64M, with k or M for powers of 1024, for example 128k, or recordsize"
	BS string `json:"bs,omitempty"`

	// bsSplit mixes blocks of several sizes, in place of bs; the percentages add up to 100.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=2
	// +kubebuilder:validation:MaxItems=8
	// +kubebuilder:validation:XValidation:rule=`self.map(s, s.percent).sum() == 100`,message="the percentages of bsSplit must add up to 100"
	BSSplit []FioBlockShare `json:"bsSplit,omitempty"`

	// size is what each job reads or writes, and the size of its file; a string with a unit, for example 10Gi; a multiple
	// of bs. All jobs of a raw volume share it: each works on its own part of this size. Default: with a preset, and
	// without jobs, relativeSize is 2xARC; else size or relativeSize is required.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=24
	// +kubebuilder:validation:XValidation:rule=`bytesWithin(self, 1, 64Ti)`,message="size must be a whole number of bytes from 1 to 64Ti, for example 10Gi"
	Size resource.Quantity `json:"size,omitzero"`

	// relativeSize replaces size with a total for all numJobs, which is divided among them: a multiple of the node's
	// memory (4xRAM), a multiple of the ARC's maximum size (2xARC), or a percentage of the room in the variant's pool,
	// volume or baseline (50%Pool). The runner computes the bytes on the node.
	// +optional
	RelativeSize RelativeSize `json:"relativeSize,omitempty"`

	// numJobs is the number of parallel jobs, each a process with its own file. Default: 1.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	NumJobs int32 `json:"numJobs,omitempty"`

	// ioEngine is how fio does its I/O. Default: psync.
	// +optional
	IOEngine FioEngine `json:"ioEngine,omitempty"`

	// ioDepth is the number of I/Os in flight per job. The synchronous engines ignore it, and ZFS with libaio behaves as
	// if it were 1. Default: 1.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1024
	IODepth int32 `json:"ioDepth,omitempty"`

	// direct opens files with O_DIRECT. OpenZFS before 2.3 ignores it.
	// +optional
	Direct bool `json:"direct,omitempty"`

	// sync opens files with O_SYNC (Sync) or O_DSYNC (Dsync), so that every write goes to the intent log. Default: None.
	// +optional
	Sync FioSync `json:"sync,omitempty"`

	// fsync calls fsync after this many writes. Default: 0, never. How long each call takes is the operation sync of the
	// results.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1000000000
	Fsync int32 `json:"fsync,omitempty"`

	// fdatasync calls fdatasync after this many writes, in place of fsync: as a database or etcd does with its log.
	// Default: 0, never. How long each call takes is the operation sync of the results.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1000000000
	Fdatasync int32 `json:"fdatasync,omitempty"`

	// endFsync calls fsync at the end of a writing job, within the measured time, so that what is still in memory is not
	// counted as written. Default: true.
	// +optional
	EndFsync *bool `json:"endFsync,omitempty"`

	// rwMixRead is the percentage of reads in readwrite and randrw. Default: 50.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100
	RWMixRead *int32 `json:"rwMixRead,omitempty"`

	// runtime ends the job after this time even if size is not reached; with timeBased it repeats the I/O until then.
	// Whole seconds, at most 7 days.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=24
	// +kubebuilder:validation:XValidation:rule=`secondsWithin(self, '1s', '168h')`,message="runtime must be whole seconds from 1s to 168h, for example 60s"
	Runtime *metav1.Duration `json:"runtime,omitempty"`

	// timeBased runs for the whole runtime, which must be set.
	// +optional
	TimeBased *bool `json:"timeBased,omitempty"`

	// rampTime runs this long before anything is recorded; only with timeBased. Whole seconds, at most 1 day.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=24
	// +kubebuilder:validation:XValidation:rule=`secondsWithin(self, '1s', '24h')`,message="rampTime must be whole seconds from 1s to 24h, for example 10s"
	RampTime *metav1.Duration `json:"rampTime,omitempty"`

	// bufferCompressPercentage makes this percentage of every buffer compressible. Default: incompressible random data.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100
	BufferCompressPercentage *int32 `json:"bufferCompressPercentage,omitempty"`

	// dedupePercentage makes this percentage of all buffers identical to earlier ones. Default: none.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100
	DedupePercentage *int32 `json:"dedupePercentage,omitempty"`

	// rate limits the bytes per second that each of the numJobs processes reads, and also the bytes that it writes; a
	// string with a unit, for example 10Mi.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=24
	// +kubebuilder:validation:XValidation:rule=`bytesWithin(self, 1Ki, 1Ti)`,message="rate must be a whole number of bytes per second from 1Ki to 1Ti, for example 10Mi"
	Rate *resource.Quantity `json:"rate,omitempty"`

	// rateIOPS limits the reads per second of each of the numJobs processes, and also its writes.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100000000
	RateIOPS int32 `json:"rateIOPS,omitempty"`

	// ownFiles gives the workload files of its own. Default: false; it then reads and overwrites the files that earlier
	// workloads of the same size and content left. It has no effect on a block device.
	// +optional
	OwnFiles bool `json:"ownFiles,omitempty"`

	// dataset is the name of the child dataset, one of dataset.children, in which the workload works. Default: the dataset
	// itself.
	// +optional
	// +kubebuilder:validation:MaxLength=20
	// +kubebuilder:validation:Pattern=`^[a-z][a-z0-9]*$`
	Dataset string `json:"dataset,omitempty"`

	// passes is how often the workload runs over the same files, each time with a result of its own. The cache is emptied
	// only before the first pass. Default: 1.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=32
	Passes int32 `json:"passes,omitempty"`

	// steadyState runs the workload in rounds, each as long as runtime, until its speed is as steady as SNIA's Performance
	// Test Specification requires. The result is measured over the last rounds.
	// +optional
	SteadyState *FioSteadyState `json:"steadyState,omitempty"`

	// jobs run at the same time, or each after its startDelay, and are measured together and each by itself. A job takes
	// the fields that it does not set from fio.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=8
	Jobs []FioJob `json:"jobs,omitempty"`
}

// FioBlockShare is a part of a workload's I/O, in blocks of one size.
type FioBlockShare struct {
	// bs is the size of its blocks.
	// +required
	// +kubebuilder:validation:MaxLength=10
	// +kubebuilder:validation:XValidation:rule=`isFioSize(self) && fioBytes(self) <= 64Mi`,message="bs must be a number of bytes from 1 to 64M, with k or M for powers of 1024, for example 128k"
	BS string `json:"bs"`

	// percent is the percentage of I/Os that have this size.
	// +required
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=99
	Percent int32 `json:"percent"`
}

// FioPreset is the name of a known workload.
//
// +kubebuilder:validation:Enum=sequential-read;sequential-write;random-4k-read;random-4k-write;oltp;openzfs-sequential-reads;openzfs-sequential-writes;openzfs-random-reads;openzfs-random-writes;openzfs-random-readwrite-fixed;snia-random-4k-write;snia-random-8k-mixed
type FioPreset string

// FioRW is the direction and order of the I/O, in fio's words.
//
// +kubebuilder:validation:Enum=read;write;randread;randwrite;readwrite;randrw
type FioRW string

// The directions of fio.
const (
	FioRead      FioRW = "read"
	FioWrite     FioRW = "write"
	FioRandRead  FioRW = "randread"
	FioRandWrite FioRW = "randwrite"
	FioReadWrite FioRW = "readwrite"
	FioRandRW    FioRW = "randrw"
)

// Does says whether there is I/O in a direction.
func (rw FioRW) Does(d Operation) bool {
	if d == OperationRead {
		return rw != FioWrite && rw != FioRandWrite
	}
	return rw != FioRead && rw != FioRandRead
}

// FioEngine is an I/O engine of fio.
//
// +kubebuilder:validation:Enum=psync;sync;pvsync2;libaio;io_uring;posixaio;mmap
type FioEngine string

// FioSync is the synchronous open mode.
//
// +kubebuilder:validation:Enum=None;Sync;Dsync
type FioSync string

// The synchronous open modes.
const (
	FioSyncNone  FioSync = "None"
	FioSyncSync  FioSync = "Sync"
	FioSyncDsync FioSync = "Dsync"
)
