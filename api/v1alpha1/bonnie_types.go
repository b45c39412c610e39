// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import "k8s.io/apimachinery/pkg/api/resource"

// BonnieWorkload is one run of bonnie++. It always runs quietly, once, as the tools' user and in an empty directory.
// Its check of the size against the memory is switched off, because the results say whether data came from a cache.
//
// +kubebuilder:validation:XValidation:rule=`has(self.size) || has(self.files)`,message="at least one of size and files must be set"
type BonnieWorkload struct {
	// size is the size of the file for the throughput tests (bonnie++'s -s), a string with a unit, a multiple of 1Mi.
	// Above 1Gi bonnie++ uses several files of 1 GiB. bonnie++'s own default, twice the memory, is not used. Default: no
	// throughput tests.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=24
	// +kubebuilder:validation:XValidation:rule=`bytesWithin(self, 1Mi, 64Ti) && bytesOf(self) % 1Mi == 0`,message="size must be a multiple of 1Mi from 1Mi to 64Ti, for example 2Gi"
	Size *resource.Quantity `json:"size,omitempty"`

	// chunkSize is the size of each read and write, as bonnie++ takes it: a power of 2 from 256 to 1048576 bytes. Default:
	// 8192, bonnie++'s own.
	// +optional
	// +kubebuilder:validation:Enum=256;512;1024;2048;4096;8192;16384;32768;65536;131072;262144;524288;1048576
	ChunkSize int32 `json:"chunkSize,omitempty"`

	// files are the files that the metadata tests create, read and delete. Default: no metadata tests.
	// +optional
	Files *BonnieFiles `json:"files,omitempty"`

	// fast leaves out the tests that read and write single characters (-f).
	// +optional
	Fast bool `json:"fast,omitempty"`

	// fsync calls fsync after every write (-b).
	// +optional
	Fsync bool `json:"fsync,omitempty"`

	// direct opens the files of the throughput tests with O_DIRECT (-D). OpenZFS before 2.3 ignores it.
	// +optional
	Direct bool `json:"direct,omitempty"`
}

// BonnieFiles are the files of bonnie++'s tests of metadata (-n).
//
// +kubebuilder:validation:XValidation:rule=`(has(self.minSize) ? self.minSize : 0) <= (has(self.maxSize) ? self.maxSize : 0)`,fieldPath=`.minSize`,message="minSize must be at most maxSize"
type BonnieFiles struct {
	// count is the number of files, in units of 1024.
	// +required
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100000
	Count int32 `json:"count"`

	// maxSize is the size of the largest file, in bytes. Default: 0, empty files.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1073741824
	MaxSize int32 `json:"maxSize,omitempty"`

	// minSize is the size of the smallest file, in bytes. Default: 0.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1073741824
	MinSize int32 `json:"minSize,omitempty"`

	// directories is the number of directories that the files are spread over. Default: 1.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100000
	Directories int32 `json:"directories,omitempty"`
}

// The operations of bonnie++, in the order of its output.
const (
	BonnieWriteCharacters  Operation = "writeCharacters"
	BonnieWrite            Operation = "write"
	BonnieRewrite          Operation = "rewrite"
	BonnieReadCharacters   Operation = "readCharacters"
	BonnieRead             Operation = "read"
	BonnieSeek             Operation = "seek"
	BonnieSequentialCreate Operation = "sequentialCreate"
	BonnieSequentialStat   Operation = "sequentialStat"
	BonnieSequentialDelete Operation = "sequentialDelete"
	BonnieRandomCreate     Operation = "randomCreate"
	BonnieRandomStat       Operation = "randomStat"
	BonnieRandomDelete     Operation = "randomDelete"
)

// Operations are what it measures.
func (w BonnieWorkload) Operations() []Operation {
	var all []Operation
	if w.Size != nil {
		if !w.Fast {
			all = append(all, BonnieWriteCharacters)
		}
		all = append(all, BonnieWrite, BonnieRewrite)
		if !w.Fast {
			all = append(all, BonnieReadCharacters)
		}
		all = append(all, BonnieRead, BonnieSeek)
	}
	if w.Files != nil {
		all = append(all, BonnieSequentialCreate, BonnieSequentialStat, BonnieSequentialDelete, BonnieRandomCreate,
			BonnieRandomStat, BonnieRandomDelete)
	}
	return all
}
