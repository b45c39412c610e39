// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/resource"
)

// FsmarkWorkload is one run of fs_mark: it creates, writes, syncs and closes files, and removes them.
//
// +kubebuilder:validation:XValidation:rule=`self.threads % self.directories == 0`,fieldPath=`.threads`,message="threads must be a multiple of directories: as many threads work in each"
type FsmarkWorkload struct {
	// files is how many files each thread makes (fs_mark's -n). Default: 1000.
	// +optional
	// +kubebuilder:default=1000
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000
	Files int32 `json:"files,omitempty"`

	// fileSize is the size of each file (-s), a string with a unit; 0 for empty files. Their data is zeros. Default: 50Ki,
	// fs_mark's own.
	// +optional
	// +kubebuilder:default="50Ki"
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=24
	// +kubebuilder:validation:XValidation:rule=`isBytes(self) && bytesOf(self) <= 1Gi`,message="fileSize must be a whole number of bytes up to 1Gi, for example 50Ki"
	FileSize *resource.Quantity `json:"fileSize,omitempty"`

	// writeSize is the size of each write (-w), in bytes. Default: 16384, fs_mark's own.
	// +optional
	// +kubebuilder:default=16384
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1048576
	WriteSize int32 `json:"writeSize,omitempty"`

	// threads work in parallel (-t), a multiple of directories. Default: 1.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=64
	Threads int32 `json:"threads,omitempty"`

	// directories is the number of directories that the threads are spread over (-d). Default: 1, which all threads share.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=64
	Directories int32 `json:"directories,omitempty"`

	// subdirectories is the number of subdirectories that each thread spreads its files over, one after the other (-D with
	// -N 1). Default: none, all files are in the directory.
	// +optional
	// +kubebuilder:validation:Minimum=2
	// +kubebuilder:validation:Maximum=256
	Subdirectories int32 `json:"subdirectories,omitempty"`

	// sync is how the files are written out (-S). Default: PerFile, fs_mark's own.
	// +optional
	// +kubebuilder:default=PerFile
	Sync FsmarkSync `json:"sync,omitempty"`
}

// FsmarkSync is how fs_mark writes files out. A method that calls sync() writes out all filesystems of the node.
//
// +kubebuilder:validation:Enum=None;PerFile;PerThread;Reverse;SyncReverse;Post;SyncPost
type FsmarkSync string

// The methods of fs_mark, in the order of its numbers from 0.
const (
	// FsmarkSyncNone calls neither fsync nor sync.
	FsmarkSyncNone FsmarkSync = "None"
	// FsmarkSyncPerFile calls fsync for each file before it closes it.
	FsmarkSyncPerFile FsmarkSync = "PerFile"
	// FsmarkSyncPerThread calls sync when all files are written, and fsync for one.
	FsmarkSyncPerThread FsmarkSync = "PerThread"
	// FsmarkSyncReverse opens all files again when they are written, in reverse order, and calls fsync for each.
	FsmarkSyncReverse FsmarkSync = "Reverse"
	// FsmarkSyncSyncReverse calls sync, and then does the same as Reverse.
	FsmarkSyncSyncReverse FsmarkSync = "SyncReverse"
	// FsmarkSyncPost opens all files again when they are written, in the same order, and calls fsync for each.
	FsmarkSyncPost FsmarkSync = "Post"
	// FsmarkSyncSyncPost calls sync, and then does the same as Post.
	FsmarkSyncSyncPost FsmarkSync = "SyncPost"
)

// FsmarkSyncs are all of them, each at the place that is its number to fs_mark.
func FsmarkSyncs() []FsmarkSync {
	return []FsmarkSync{FsmarkSyncNone, FsmarkSyncPerFile, FsmarkSyncPerThread, FsmarkSyncReverse, FsmarkSyncSyncReverse,
		FsmarkSyncPost, FsmarkSyncSyncPost}
}

// SyncsEachFile says whether each file is synced by itself.
func (m FsmarkSync) SyncsEachFile() bool { return m != FsmarkSyncNone && m != FsmarkSyncPerThread }

// SyncsAll says whether sync is called when all files are written.
func (m FsmarkSync) SyncsAll() bool {
	return m == FsmarkSyncPerThread || m == FsmarkSyncSyncReverse || m == FsmarkSyncSyncPost
}

// The operations of fs_mark: create is all that is done to make files, the others are its system calls.
const (
	FsmarkCreate     Operation = "create"
	FsmarkCreatCall  Operation = "creatCall"
	FsmarkWriteCall  Operation = "writeCall"
	FsmarkFsyncCall  Operation = "fsyncCall"
	FsmarkSyncCall   Operation = "syncCall"
	FsmarkCloseCall  Operation = "closeCall"
	FsmarkUnlinkCall Operation = "unlinkCall"
)

// The defaults of fs_mark.
const (
	DefaultFsmarkFiles      = 1000
	DefaultFsmarkFileBytes  = 50 << 10
	DefaultFsmarkWriteBytes = 16 << 10
)

// WithDefaults is the workload with defaults in place of what is not set.
func (w FsmarkWorkload) WithDefaults() FsmarkWorkload {
	for _, field := range []struct {
		value   *int32
		instead int32
	}{{&w.Files, DefaultFsmarkFiles}, {&w.WriteSize, DefaultFsmarkWriteBytes}, {&w.Threads, 1}, {&w.Directories, 1}} {
		if *field.value == 0 {
			*field.value = field.instead
		}
	}
	if w.FileSize == nil {
		w.FileSize = resource.NewQuantity(DefaultFsmarkFileBytes, resource.BinarySI)
	}
	if w.Sync == "" {
		w.Sync = FsmarkSyncPerFile
	}
	return w
}

// Operations are what it measures.
func (w FsmarkWorkload) Operations() []Operation {
	w = w.WithDefaults()
	all := []Operation{FsmarkCreate, FsmarkCreatCall, FsmarkWriteCall, FsmarkFsyncCall, FsmarkSyncCall, FsmarkCloseCall,
		FsmarkUnlinkCall}
	return slices.DeleteFunc(all, func(o Operation) bool {
		return o == FsmarkWriteCall && w.FileSize.IsZero() || o == FsmarkFsyncCall && !w.Sync.SyncsEachFile() ||
			o == FsmarkSyncCall && !w.Sync.SyncsAll()
	})
}
