// SPDX-License-Identifier: Apache-2.0

package bonnie

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"zfsbench.io/operator/internal/text/fields"
)

const (
	// maxFiles is in units of 1024 files, maxFileBytes the size of one.
	maxFiles       = 100000
	maxFileBytes   = 1 << 30
	maxDirectories = 100000
)

// Validate checks a run of bonnie++.
func (t Tool) Validate(path *field.Path) field.ErrorList {
	if t.Size == nil && t.Files == nil {
		return field.ErrorList{field.Required(path, "at least one of size and files must be set")}
	}
	var errs field.ErrorList
	if t.Size != nil {
		at := path.Child("size")
		errs = append(errs, fields.Size(*t.Size, mebibyte, "1Mi", "2Gi", at)...)
		if n, whole := fields.Bytes(*t.Size); whole && n%mebibyte != 0 {
			errs = append(errs, field.Invalid(at, fields.Text(*t.Size), "size must be a multiple of 1Mi"))
		}
	}
	if n := t.ChunkSize; n != 0 && (n < 256 || n > mebibyte || n&(n-1) != 0) {
		errs = append(errs, field.Invalid(path.Child("chunkSize"), n,
			"chunkSize must be a power of 2 from 256 to 1048576 bytes"))
	}
	if f := t.Files; f != nil {
		at := path.Child("files")
		errs = append(errs, fields.Between(f.Count, 1, maxFiles, at.Child("count"))...)
		errs = append(errs, fields.Between(f.MaxSize, 0, maxFileBytes, at.Child("maxSize"))...)
		errs = append(errs, fields.Between(f.MinSize, 0, maxFileBytes, at.Child("minSize"))...)
		errs = append(errs, fields.Between(f.Directories, 0, maxDirectories, at.Child("directories"))...)
		if f.MinSize > f.MaxSize {
			errs = append(errs, field.Invalid(at.Child("minSize"), f.MinSize, "minSize must be at most maxSize"))
		}
	}
	return errs
}
