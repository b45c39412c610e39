// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// FioJob is one of several jobs of a workload, with its own files. It has the same fields as fio. A field that is set
// here replaces the one in fio.
//
// +kubebuilder:validation:XValidation:rule=`!has(self.rate) || !has(self.rateIOPS)`,fieldPath=`.rate`,message="only one of rate and rateIOPS can be set"
// +kubebuilder:validation:XValidation:rule=`!has(self.bs) || !has(self.bsSplit)`,fieldPath=`.bsSplit`,message="only one of bs and bsSplit can be set"
type FioJob struct {
	// name is the first part of the names of the job's results, for example clientRead, and a part of the names of its
	// files.
	// +required
	// +kubebuilder:validation:MaxLength=20
	// +kubebuilder:validation:XValidation:rule=`self.matches('^[a-z][a-z0-9]*$') && self != 'global'`,message="name becomes part of file names: it must be lower-case letters and digits, begin with a letter, and not be global, for example client"
	Name string `json:"name"`

	// startDelay is how long after the start of the workload the job starts. Whole seconds, at most 1 day. Default: 0s.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=24
	// +kubebuilder:validation:XValidation:rule=`self.matches('^([0-9]{1,6}[hms])+$') && duration(self) <= duration('24h')`,message="startDelay must be whole seconds from 0s to 24h, for example 30s"
	StartDelay *metav1.Duration `json:"startDelay,omitempty"`

	// dataset is the name of the child dataset, one of dataset.children, in which the job works.
	// +optional
	// +kubebuilder:validation:MaxLength=20
	// +kubebuilder:validation:Pattern=`^[a-z][a-z0-9]*$`
	Dataset string `json:"dataset,omitempty"`

	// rw is the direction and order of the I/O.
	// +optional
	RW FioRW `json:"rw,omitempty"`

	// bs is the block size.
	// +optional
	// +kubebuilder:validation:MaxLength=10
	// +kubebuilder:validation:XValidation:rule=`self == 'recordsize' || isFioSize(self) && fioBytes(self) <= 64Mi`,message="bs must be a number of bytes from 1 to 64M, with k or M for powers of 1024, for example 128k, or recordsize"
	BS string `json:"bs,omitempty"`

	// bsSplit mixes blocks of several sizes, in place of bs.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=2
	// +kubebuilder:validation:MaxItems=8
	// +kubebuilder:validation:XValidation:rule=`self.map(s, s.percent).sum() == 100`,message="the percentages of bsSplit must add up to 100"
	BSSplit []FioBlockShare `json:"bsSplit,omitempty"`

	// size is what each of its processes reads or writes, and the size of its file.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=24
	// +kubebuilder:validation:XValidation:rule=`bytesWithin(self, 1, 64Ti)`,message="size must be a whole number of bytes from 1 to 64Ti, for example 10Gi"
	Size *resource.Quantity `json:"size,omitempty"`

	// numJobs is the number of its processes.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	NumJobs int32 `json:"numJobs,omitempty"`

	// ioEngine is how fio does its I/O.
	// +optional
	IOEngine FioEngine `json:"ioEngine,omitempty"`

	// ioDepth is the number of I/Os in flight for each process.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1024
	IODepth int32 `json:"ioDepth,omitempty"`

	// direct opens files with O_DIRECT.
	// +optional
	Direct *bool `json:"direct,omitempty"`

	// sync opens files with O_SYNC or O_DSYNC.
	// +optional
	Sync FioSync `json:"sync,omitempty"`

	// fsync calls fsync after this many writes. A job that sets fsync or fdatasync takes neither from the workload.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1000000000
	Fsync *int32 `json:"fsync,omitempty"`

	// fdatasync calls fdatasync after this many writes.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1000000000
	Fdatasync *int32 `json:"fdatasync,omitempty"`

	// endFsync calls fsync at the end of a writing job.
	// +optional
	EndFsync *bool `json:"endFsync,omitempty"`

	// rwMixRead is the percentage of reads in readwrite and randrw.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100
	RWMixRead *int32 `json:"rwMixRead,omitempty"`

	// runtime ends the job after this time, counted from the end of its startDelay.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=24
	// +kubebuilder:validation:XValidation:rule=`secondsWithin(self, '1s', '168h')`,message="runtime must be whole seconds from 1s to 168h, for example 60s"
	Runtime *metav1.Duration `json:"runtime,omitempty"`

	// timeBased runs for the whole runtime.
	// +optional
	TimeBased *bool `json:"timeBased,omitempty"`

	// rampTime runs this long before anything is recorded.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=24
	// +kubebuilder:validation:XValidation:rule=`secondsWithin(self, '1s', '24h')`,message="rampTime must be whole seconds from 1s to 24h, for example 10s"
	RampTime *metav1.Duration `json:"rampTime,omitempty"`

	// bufferCompressPercentage makes this percentage of every buffer compressible.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100
	BufferCompressPercentage *int32 `json:"bufferCompressPercentage,omitempty"`

	// dedupePercentage makes this percentage of all buffers identical to earlier ones.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100
	DedupePercentage *int32 `json:"dedupePercentage,omitempty"`

	// rate limits the bytes per second that each process reads, and also the bytes that it writes.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=24
	// +kubebuilder:validation:XValidation:rule=`bytesWithin(self, 1Ki, 1Ti)`,message="rate must be a whole number of bytes per second from 1Ki to 1Ti, for example 10Mi"
	Rate *resource.Quantity `json:"rate,omitempty"`

	// rateIOPS limits the reads per second of each process, and also its writes.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100000000
	RateIOPS int32 `json:"rateIOPS,omitempty"`
}
