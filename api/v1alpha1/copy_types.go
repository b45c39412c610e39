// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// CopyWorkload copies a tree of directories and files into a new directory, with a tool that people copy with. The tree
// is like the tree of a tree workload. It is created first, without being measured, and then the cache is emptied. Both
// are in the dataset that is measured. The copy is a real one: blocks are not shared.
type CopyWorkload struct {
	// tool is what copies: rsync -a, or cp -a.
	// +required
	Tool CopyTool `json:"tool"`

	// levels of directories below the top; 0 for files in a single directory. Default: 1.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=16
	Levels *int32 `json:"levels,omitempty"`

	// directories is how many directories each directory above the last level has. Default: 10.
	// +optional
	// +kubebuilder:default=10
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100000
	Directories int32 `json:"directories,omitempty"`

	// files is how many files each directory has, the top included; 0 for directories only. Default: 100.
	// +optional
	// +kubebuilder:default=100
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=10000000
	Files *int32 `json:"files,omitempty"`

	// fileSize is the size of each file, a string with a unit; 0 for empty files. Their data is random and does not
	// compress. Default: 4Ki.
	// +optional
	// +kubebuilder:default="4Ki"
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=24
	// +kubebuilder:validation:XValidation:rule=`isBytes(self) && bytesOf(self) <= 1Ti`,message="fileSize must be a whole number of bytes up to 1Ti, for example 4Ki"
	FileSize *resource.Quantity `json:"fileSize,omitempty"`

	// maxTime ends the copy after this time; what has been copied by then counts. Whole seconds, at most 7 days. Default:
	// no limit other than the benchmark's timeout.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=24
	// +kubebuilder:validation:XValidation:rule=`secondsWithin(self, '1s', '168h')`,message="maxTime must be whole seconds from 1s to 168h, for example 60s"
	MaxTime *metav1.Duration `json:"maxTime,omitempty"`
}

// CopyTool is a tool that copies.
//
// +kubebuilder:validation:Enum=rsync;cp
type CopyTool string

// The tools that copy.
const (
	CopyRsync CopyTool = "rsync"
	CopyCp    CopyTool = "cp"
)

// OperationCopy is what a copy measures.
const OperationCopy Operation = "copy"

// Source is the workload that makes what is copied.
func (w CopyWorkload) Source() TreeWorkload {
	return TreeWorkload{Levels: w.Levels, Directories: w.Directories, Files: w.Files, FileSize: w.FileSize,
		Phases: []TreePhase{TreeCreate}}
}

// Operations are what a copy measures.
func (CopyWorkload) Operations() []Operation { return []Operation{OperationCopy} }
