// SPDX-License-Identifier: Apache-2.0

package iozone

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/text/fields"
)

const (
	minBytes       = 64 << 10
	maxThreads     = 128
	maxRecordBytes = 16 << 20
)

// Validate checks a run of iozone.
func (t Tool) Validate(path *field.Path) field.ErrorList {
	w := &t.IozoneWorkload
	errs := fields.Size(w.Size, minBytes, "64Ki", "1Gi", path.Child("size"))
	if r := w.RecordSize; r != nil {
		if n, whole := fields.Bytes(*r); !whole || n < kibibyte || n > maxRecordBytes || n%kibibyte != 0 {
			errs = append(errs, field.Invalid(path.Child("recordSize"), fields.Text(*r),
				"recordSize must be a multiple of 1Ki from 1Ki to 16Mi, for example 64Ki"))
		}
	}
	if len(errs) == 0 && w.Size.Value()%w.RecordBytes() != 0 {
		errs = append(errs, field.Invalid(path.Child("size"), fields.Text(w.Size), "size must be a multiple of recordSize"))
	}
	errs = append(errs, fields.Between(w.Threads, 0, maxThreads, path.Child("threads"))...)
	return append(errs, tests(w, path.Child("tests"))...)
}

func tests(w *v1alpha1.IozoneWorkload, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, t := range w.Tests {
		errs = append(errs, fields.OneOf(t, path.Index(i), v1alpha1.IozoneTests()...)...)
		if slices.Contains(w.Tests[:i], t) {
			errs = append(errs, field.Duplicate(path.Index(i), t))
		}
	}
	if len(w.Tests) > 0 && !slices.Contains(w.Tests, v1alpha1.IozoneTestWrite) {
		errs = append(errs, field.Invalid(path, w.Tests,
			"tests must have write, which makes the file that the others work on"))
	}
	if w.Threads > 1 && slices.Contains(w.Tests, v1alpha1.IozoneTestRecordRewrite) {
		errs = append(errs, field.Invalid(path, w.Tests,
			"iozone has recordRewrite only for one thread: remove it, or threads"))
	}
	return errs
}
