// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"cmp"

	"k8s.io/apimachinery/pkg/api/resource"
)

// CorpusWorkload stores known data in the dataset, and reports how much OpenZFS compresses and deduplicates it. The
// runner either makes the data, which depends on these fields alone, so that every trial on every node stores the same
// bytes; or it copies the data from a container image or a volume.
//
// +kubebuilder:validation:XValidation:rule=`[has(self.parts), has(self.image), has(self.persistentVolumeClaim)].exists_one(x, x)`,message="exactly one of parts, image and persistentVolumeClaim must be set"
type CorpusWorkload struct {
	// parts are the data that the runner makes, written one after the other.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=8
	Parts []CorpusPart `json:"parts,omitempty"`

	// image is a container image whose files are copied.
	// +optional
	Image *CorpusFromImage `json:"image,omitempty"`

	// persistentVolumeClaim is a claim whose files are copied. Nothing is written to it.
	// +optional
	PersistentVolumeClaim *CorpusFromClaim `json:"persistentVolumeClaim,omitempty"`

	// fileSize is the size of each file of parts, a string with a unit; the last file of a part holds the rest. Default:
	// 1Mi.
	// +optional
	// +kubebuilder:default="1Mi"
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=24
	// +kubebuilder:validation:XValidation:rule=`bytesWithin(self, 1, 1Ti)`,message="fileSize must be a whole number of bytes from 1 to 1Ti, for example 1Mi"
	FileSize *resource.Quantity `json:"fileSize,omitempty"`

	// seed changes the data of parts; the kind of data stays the same. Default: 0.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Seed int64 `json:"seed,omitempty"`
}

// CorpusFromImage is a directory of a container image: its regular files and symbolic links, which are not followed, in
// their directories. Other types of files are left out. Every file must be readable by everybody.
type CorpusFromImage struct {
	// image is the container image, exactly as a BenchmarkDevicePolicy lists it in spec.images. No program in it is run.
	// +required
	Image ImageReference `json:"image"`

	// path is the directory in the image. Default: /, all of it.
	// +optional
	// +kubebuilder:default="/"
	// +kubebuilder:validation:MaxLength=255
	// +kubebuilder:validation:XValidation:rule=`isPath(self)`,message="path must be an absolute path of letters, digits, '.', '_', '+', '@' and '-', without '..' and without '/' at the end, for example /usr/share"
	Path string `json:"path,omitempty"`

	// size is the most that the directory may hold, a string with a unit. The preflight checks that this much fits into
	// the dataset; a larger directory fails the trial.
	// +required
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=24
	// +kubebuilder:validation:XValidation:rule=`bytesWithin(self, 1, 64Ti)`,message="size must be a whole number of bytes from 1 to 64Ti, for example 10Gi"
	Size resource.Quantity `json:"size"`
}

// CorpusFromClaim is a directory of the volume of a PersistentVolumeClaim: its regular files and symbolic links, which
// are not followed, in their directories. Other types of files are left out, and so is lost+found in the root of the
// volume. Every file and directory must be readable by everybody.
type CorpusFromClaim struct {
	// claimName is the name of the PersistentVolumeClaim, exactly as a BenchmarkDevicePolicy lists it in
	// spec.persistentVolumeClaims. It is in the namespace of the operator's runners, zfsbench-runners unless that was
	// changed, and not in the benchmark's namespace: a pod mounts only claims of its own namespace. It is mounted
	// read-only while the benchmark runs, and must have a filesystem.
	// +required
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule=`isDNSName(self)`,message="claimName must be the name of a PersistentVolumeClaim: lower-case letters, digits, '-' and '.', with a letter or digit at both ends"
	ClaimName string `json:"claimName"`

	// path is the directory in the volume. Default: /, all of it.
	// +optional
	// +kubebuilder:default="/"
	// +kubebuilder:validation:MaxLength=255
	// +kubebuilder:validation:XValidation:rule=`isPath(self)`,message="path must be an absolute path of letters, digits, '.', '_', '+', '@' and '-', without '..' and without '/' at the end, for example /sources"
	Path string `json:"path,omitempty"`

	// size is the most that the directory may hold, a string with a unit. The preflight checks that this much fits into
	// the dataset; a larger directory fails the trial.
	// +required
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=24
	// +kubebuilder:validation:XValidation:rule=`bytesWithin(self, 1, 64Ti)`,message="size must be a whole number of bytes from 1 to 64Ti, for example 10Gi"
	Size resource.Quantity `json:"size"`
}

// CorpusPart is data of one kind.
type CorpusPart struct {
	// content is the kind of data. Text is words with the frequencies of documents and source code. Image is 16-bit values
	// as in scanned pictures. Zeros is random data in which half of the pages are zero. Random does not compress.
	// +required
	Content CorpusContent `json:"content"`

	// size is the size of the part, copies included, a string with a unit.
	// +required
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=24
	// +kubebuilder:validation:XValidation:rule=`bytesWithin(self, 1, 64Ti)`,message="size must be a whole number of bytes from 1 to 64Ti, for example 10Gi"
	Size resource.Quantity `json:"size"`

	// copies is how often each file occurs, each time with another name. Deduplication can save all but one of them.
	// Default: 1.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	Copies int32 `json:"copies,omitempty"`
}

// CorpusContent is a kind of data.
//
// +kubebuilder:validation:Enum=Text;Image;Zeros;Random
type CorpusContent string

// The kinds of data.
const (
	CorpusText   CorpusContent = "Text"
	CorpusImage  CorpusContent = "Image"
	CorpusZeros  CorpusContent = "Zeros"
	CorpusRandom CorpusContent = "Random"
)

// DefaultCorpusFileBytes is the size of files.
const DefaultCorpusFileBytes = 1 << 20

// FileBytes is the size of each file; 0 for a corpus that is copied.
func (w CorpusWorkload) FileBytes() int64 {
	if _, _, copied := w.Copied(); copied {
		return 0
	}
	if w.FileSize == nil {
		return DefaultCorpusFileBytes
	}
	return w.FileSize.Value()
}

// Copied is the directory that is copied, of an image or a volume, and the most bytes that it may hold; false for a
// corpus that is made.
func (w CorpusWorkload) Copied() (path string, limitBytes int64, copied bool) {
	switch {
	case w.Image != nil:
		return cmp.Or(w.Image.Path, "/"), w.Image.Size.Value(), true
	case w.PersistentVolumeClaim != nil:
		return cmp.Or(w.PersistentVolumeClaim.Path, "/"), w.PersistentVolumeClaim.Size.Value(), true
	}
	return "", 0, false
}

// Operations are what it measures.
func (w CorpusWorkload) Operations() []Operation { return []Operation{OperationWrite} }
