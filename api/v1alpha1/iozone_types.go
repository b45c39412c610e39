// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/resource"
)

// IozoneWorkload is one run of iozone with one size of file and of record; several of them are several workloads.
// iozone is not free software: the runner's image has it only if it was built with the argument IOZONE.
//
// +kubebuilder:validation:XValidation:rule=`!(isBytes(self.size)) || !(isBytes(self.recordSize)) || bytesOf(self.recordSize) < 1Ki || bytesOf(self.size) % bytesOf(self.recordSize) == 0`,fieldPath=`.size`,message="size must be a multiple of recordSize"
// +kubebuilder:validation:XValidation:rule=`self.threads == 1 || !('recordRewrite' in self.tests)`,fieldPath=`.tests`,message="iozone has recordRewrite only for one thread: remove it, or threads"
type IozoneWorkload struct {
	// size is the size of the file, or with several threads of each file (iozone's -s): a string with a unit, for example
	// 1Gi. It must be a multiple of recordSize.
	// +required
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=24
	// +kubebuilder:validation:XValidation:rule=`bytesWithin(self, 64Ki, 64Ti)`,message="size must be a whole number of bytes from 64Ki to 64Ti, for example 1Gi"
	Size resource.Quantity `json:"size"`

	// recordSize is the size of each read and write (-r), a multiple of 1Ki. Default: 4Ki.
	// +optional
	// +kubebuilder:default="4Ki"
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=24
	// +kubebuilder:validation:XValidation:rule=`bytesWithin(self, 1Ki, 16Mi) && bytesOf(self) % 1Ki == 0`,message="recordSize must be a multiple of 1Ki from 1Ki to 16Mi, for example 64Ki"
	RecordSize *resource.Quantity `json:"recordSize,omitempty"`

	// tests are the tests to run (-i), in iozone's order. They must include write, which makes the file. Default: write,
	// read and random.
	// +optional
	// +listType=set
	// +kubebuilder:default={write,read,random}
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=6
	// +kubebuilder:validation:XValidation:rule=`'write' in self`,message="tests must have write, which makes the file that the others work on"
	Tests []IozoneTest `json:"tests,omitempty"`

	// threads work in parallel, each a process with a file of its own (-t). iozone adds up what all threads did until the
	// first one finished. Default: 1.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=128
	Threads int32 `json:"threads,omitempty"`

	// includeFlush counts fsync at the end of a test as part of it (-e).
	// +optional
	IncludeFlush bool `json:"includeFlush,omitempty"`

	// includeClose counts close at the end of a test as part of it (-c).
	// +optional
	IncludeClose bool `json:"includeClose,omitempty"`

	// sync opens the files with O_SYNC (-o).
	// +optional
	Sync bool `json:"sync,omitempty"`

	// direct opens the files with O_DIRECT (-I). OpenZFS before 2.3 ignores it.
	// +optional
	Direct bool `json:"direct,omitempty"`

	// randomData writes data that does not compress and occurs once (-+w 0). Default: iozone's own data, which is almost
	// only zeros.
	// +optional
	RandomData bool `json:"randomData,omitempty"`
}

// IozoneTest is a test of iozone.
//
// +kubebuilder:validation:Enum=write;read;random;backward;recordRewrite;stride
type IozoneTest string

// The tests of iozone, in the order of its numbers from 0.
const (
	IozoneTestWrite         IozoneTest = "write"
	IozoneTestRead          IozoneTest = "read"
	IozoneTestRandom        IozoneTest = "random"
	IozoneTestBackward      IozoneTest = "backward"
	IozoneTestRecordRewrite IozoneTest = "recordRewrite"
	IozoneTestStride        IozoneTest = "stride"
)

// IozoneTests are all of them, each at the place that is its number to iozone.
func IozoneTests() []IozoneTest {
	return []IozoneTest{IozoneTestWrite, IozoneTestRead, IozoneTestRandom, IozoneTestBackward, IozoneTestRecordRewrite,
		IozoneTestStride}
}

// The operations of iozone, in the order of its output.
const (
	IozoneWrite         Operation = "write"
	IozoneRewrite       Operation = "rewrite"
	IozoneRead          Operation = "read"
	IozoneReread        Operation = "reread"
	IozoneRandomRead    Operation = "randomRead"
	IozoneRandomWrite   Operation = "randomWrite"
	IozoneBackwardRead  Operation = "backwardRead"
	IozoneRecordRewrite Operation = "recordRewrite"
	IozoneStrideRead    Operation = "strideRead"
)

// DefaultIozoneRecordBytes is the default of recordSize.
const DefaultIozoneRecordBytes = 4 << 10

// RecordBytes is the size of each read and write.
func (w IozoneWorkload) RecordBytes() int64 {
	if w.RecordSize == nil {
		return DefaultIozoneRecordBytes
	}
	return w.RecordSize.Value()
}

// AllTests are those that run, in iozone's order.
func (w IozoneWorkload) AllTests() []IozoneTest {
	if len(w.Tests) == 0 {
		return []IozoneTest{IozoneTestWrite, IozoneTestRead, IozoneTestRandom}
	}
	return slices.DeleteFunc(IozoneTests(), func(t IozoneTest) bool { return !slices.Contains(w.Tests, t) })
}

// Operations are what it measures.
func (w IozoneWorkload) Operations() []Operation {
	of := map[IozoneTest][]Operation{
		IozoneTestWrite: {IozoneWrite, IozoneRewrite}, IozoneTestRead: {IozoneRead, IozoneReread},
		IozoneTestRandom:   {IozoneRandomRead, IozoneRandomWrite},
		IozoneTestBackward: {IozoneBackwardRead}, IozoneTestRecordRewrite: {IozoneRecordRewrite},
		IozoneTestStride: {IozoneStrideRead},
	}
	var all []Operation
	for _, t := range w.AllTests() {
		all = append(all, of[t]...)
	}
	return all
}
