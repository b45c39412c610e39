// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// TreeWorkload makes a tree of directories and files in its own empty directory, and measures each phase by itself: how
// many directories and files it handles per second, and how long it then takes to write out what is still in memory.
// The tree is the same as fdtree's: `directories` in each directory, `levels` deep, and `files` in each directory, also
// at the top.
//
// +kubebuilder:validation:XValidation:rule=`!has(self.phases) || !('create' in self.phases) || self.phases[0] == 'create'`,fieldPath=`.phases`,message="create must be the first of phases"
// +kubebuilder:validation:XValidation:rule=`!has(self.phases) || !('delete' in self.phases) || self.phases[size(self.phases) - 1] == 'delete'`,fieldPath=`.phases`,message="delete must be the last of phases"
type TreeWorkload struct {
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

	// workers work in parallel, each on a tree of its own. Default: 1.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=256
	Workers int32 `json:"workers,omitempty"`

	// phases are what is done, and measured, one after the other. If the first is not create, the tree is made first,
	// without being measured, and then the cache is emptied. Default: create, stat, delete, and rewrite and read before
	// delete if there are files that are not empty.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=5
	Phases []TreePhase `json:"phases,omitempty"`

	// maxTime ends each phase after this time; later phases go on with what is there. Whole seconds, at most 7 days.
	// Default: no limit other than the benchmark's timeout.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=24
	// +kubebuilder:validation:XValidation:rule=`secondsWithin(self, '1s', '168h')`,message="maxTime must be whole seconds from 1s to 168h, for example 60s"
	MaxTime *metav1.Duration `json:"maxTime,omitempty"`

	// fsync calls fsync for each file that is written.
	// +optional
	Fsync bool `json:"fsync,omitempty"`
}

// TreePhase is what is done with all of a tree.
//
// +kubebuilder:validation:Enum=create;stat;rewrite;read;delete
type TreePhase string

// The phases of a tree.
const (
	TreeCreate  TreePhase = "create"
	TreeStat    TreePhase = "stat"
	TreeRewrite TreePhase = "rewrite"
	TreeRead    TreePhase = "read"
	TreeDelete  TreePhase = "delete"
)

// The defaults of a tree.
const (
	DefaultTreeLevels      = 1
	DefaultTreeDirectories = 10
	DefaultTreeFiles       = 100
	DefaultTreeFileBytes   = 4 << 10
)

// FileBytes is the size of each file.
func (w TreeWorkload) FileBytes() int64 {
	if w.FileSize == nil {
		return DefaultTreeFileBytes
	}
	return w.FileSize.Value()
}

// FilesPerDirectory is the number of files in each directory.
func (w TreeWorkload) FilesPerDirectory() int { return int(ptr.Deref(w.Files, DefaultTreeFiles)) }

// AllPhases are those that are measured.
func (w TreeWorkload) AllPhases() []TreePhase {
	switch {
	case len(w.Phases) > 0:
		return w.Phases
	case w.FilesPerDirectory() == 0 || w.FileBytes() == 0:
		return []TreePhase{TreeCreate, TreeStat, TreeDelete}
	}
	return []TreePhase{TreeCreate, TreeStat, TreeRewrite, TreeRead, TreeDelete}
}

// Operations are what it measures.
func (w TreeWorkload) Operations() []Operation {
	var all []Operation
	for _, p := range w.AllPhases() {
		all = append(all, Operation(p))
	}
	return all
}
