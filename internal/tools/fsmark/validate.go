// SPDX-License-Identifier: Apache-2.0

package fsmark

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/text/fields"
)

const (
	maxFiles          = 1000000
	maxFileBytes      = 1 << 30
	maxWriteBytes     = 1 << 20
	maxThreads        = 64
	maxSubdirectories = 256
)

// Validate checks a run of fs_mark.
func (t Tool) Validate(path *field.Path) field.ErrorList {
	w := &t.FsmarkWorkload
	errs := fields.Between(w.Files, 0, maxFiles, path.Child("files"))
	if s := w.FileSize; s != nil {
		if n, whole := fields.Bytes(*s); !whole || n < 0 || n > maxFileBytes {
			errs = append(errs, field.Invalid(path.Child("fileSize"), fields.Text(*s),
				"fileSize must be a whole number of bytes up to 1Gi, for example 50Ki"))
		}
	}
	errs = append(errs, fields.Between(w.WriteSize, 0, maxWriteBytes, path.Child("writeSize"))...)
	errs = append(errs, fields.Between(w.Threads, 0, maxThreads, path.Child("threads"))...)
	errs = append(errs, fields.Between(w.Directories, 0, maxThreads, path.Child("directories"))...)
	if w.Subdirectories != 0 {
		errs = append(errs, fields.Between(w.Subdirectories, 2, maxSubdirectories, path.Child("subdirectories"))...)
	}
	if w.Sync != "" {
		errs = append(errs, fields.OneOf(w.Sync, path.Child("sync"), v1alpha1.FsmarkSyncs()...)...)
	}
	if f := w.Filled(); len(errs) == 0 && f.Threads%f.Directories != 0 {
		errs = append(errs, field.Invalid(path.Child("threads"), w.Threads,
			"threads must be a multiple of directories: as many threads work in each"))
	}
	return errs
}
