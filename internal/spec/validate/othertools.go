// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/text/fields"
)

// The limits of the tools' own, or of what is sensible.
const (
	minIozoneBytes          = 64 << 10
	maxIozoneThreads        = 128
	kibibyte                = 1 << 10
	maxIozoneRecordBytes    = 16 << 20
	maxFsmarkFiles          = 1000000
	maxFsmarkFileBytes      = 1 << 30
	maxFsmarkThreads        = 64
	maxFsmarkSubdirectories = 256
	maxDbenchClients        = 1000
)

// dbenchRuntime is that of dbench, which prints nothing of what takes less.
var dbenchRuntime = fields.Duration{Name: "runtime", Minimum: 2 * time.Second, Maximum: 24 * time.Hour, Least: "2s", Most: "24h", Example: "10m"}

// iozone checks a run of iozone.
func iozone(w *v1alpha1.IozoneWorkload, path *field.Path) field.ErrorList {
	errs := fields.Size(w.Size, minIozoneBytes, "64Ki", "1Gi", path.Child("size"))
	if r := w.RecordSize; r != nil {
		if n, whole := fields.Bytes(*r); !whole || n < kibibyte || n > maxIozoneRecordBytes || n%kibibyte != 0 {
			errs = append(errs, field.Invalid(path.Child("recordSize"), fields.Text(*r), "recordSize must be a multiple of 1Ki from 1Ki to 16Mi, for example 64Ki"))
		}
	}
	if len(errs) == 0 && w.Size.Value()%w.RecordBytes() != 0 {
		errs = append(errs, field.Invalid(path.Child("size"), fields.Text(w.Size), "size must be a multiple of recordSize"))
	}
	errs = append(errs, fields.Between(w.Threads, 0, maxIozoneThreads, path.Child("threads"))...)
	return append(errs, iozoneTests(w, path.Child("tests"))...)
}

func iozoneTests(w *v1alpha1.IozoneWorkload, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, t := range w.Tests {
		errs = append(errs, fields.OneOf(t, path.Index(i), v1alpha1.IozoneTests()...)...)
		if slices.Contains(w.Tests[:i], t) {
			errs = append(errs, field.Duplicate(path.Index(i), t))
		}
	}
	if len(w.Tests) > 0 && !slices.Contains(w.Tests, v1alpha1.IozoneTestWrite) {
		errs = append(errs, field.Invalid(path, w.Tests, "tests must have write, which makes the file that the others work on"))
	}
	if w.Threads > 1 && slices.Contains(w.Tests, v1alpha1.IozoneTestRecordRewrite) {
		errs = append(errs, field.Invalid(path, w.Tests, "iozone has recordRewrite only for one thread: remove it, or threads"))
	}
	return errs
}

// fsmark checks a run of fs_mark.
func fsmark(w *v1alpha1.FsmarkWorkload, path *field.Path) field.ErrorList {
	errs := fields.Between(w.Files, 0, maxFsmarkFiles, path.Child("files"))
	if s := w.FileSize; s != nil {
		if n, whole := fields.Bytes(*s); !whole || n < 0 || n > maxFsmarkFileBytes {
			errs = append(errs, field.Invalid(path.Child("fileSize"), fields.Text(*s), "fileSize must be a whole number of bytes up to 1Gi, for example 50Ki"))
		}
	}
	errs = append(errs, fields.Between(w.WriteSize, 0, mebibyte, path.Child("writeSize"))...)
	errs = append(errs, fields.Between(w.Threads, 0, maxFsmarkThreads, path.Child("threads"))...)
	errs = append(errs, fields.Between(w.Directories, 0, maxFsmarkThreads, path.Child("directories"))...)
	if w.Subdirectories != 0 {
		errs = append(errs, fields.Between(w.Subdirectories, 2, maxFsmarkSubdirectories, path.Child("subdirectories"))...)
	}
	if w.Sync != "" {
		errs = append(errs, fields.OneOf(w.Sync, path.Child("sync"), v1alpha1.FsmarkSyncs()...)...)
	}
	if f := w.Filled(); len(errs) == 0 && f.Threads%f.Directories != 0 {
		errs = append(errs, field.Invalid(path.Child("threads"), w.Threads, "threads must be a multiple of directories: as many threads work in each"))
	}
	return errs
}

// dbench checks a run of dbench.
func dbench(w *v1alpha1.DbenchWorkload, path *field.Path) field.ErrorList {
	return append(fields.Between(w.Clients, 0, maxDbenchClients, path.Child("clients")), dbenchRuntime.Check(w.Runtime, path.Child("runtime"))...)
}
