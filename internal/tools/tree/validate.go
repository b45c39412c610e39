// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/text/fields"
)

const (
	maxLevels, maxDirectories, maxFiles, maxWorkers = 16, 100000, 10000000, 256

	// MaxFileBytes is the size of the largest file.
	MaxFileBytes = 1 << 40
	// MaxInodes is how many directories and files all workers together may make without a limit on the time.
	MaxInodes = 100000000
)

// MaxTime is the range of a limit on the time.
var MaxTime = fields.Duration{Name: "maxTime", Minimum: time.Second, Maximum: 7 * 24 * time.Hour, Least: "1s",
	Most: "168h", Example: "60s"}

// Validate checks a tree of files, and that it has an end.
func (t Tool) Validate(path *field.Path) field.ErrorList {
	w := &t.TreeWorkload
	errs := CheckShape(w, path)
	errs = append(errs, fields.Between(w.Workers, 0, maxWorkers, path.Child("workers"))...)
	errs = append(errs, MaxTime.Check(w.MaxTime, path.Child("maxTime"))...)
	if len(errs) > 0 {
		return errs
	}
	errs = phases(w, path)
	each, workers := ShapeOf(*w).Inodes(), Workers(*w)
	if w.MaxTime == nil && each > MaxInodes/int64(workers) {
		errs = append(errs, field.Invalid(path, each,
			fmt.Sprintf("%d workers with %d directories and files each are too many without maxTime: at most %d in all", workers,
				each, MaxInodes)))
	}
	return errs
}

// CheckShape checks how large a tree is.
func CheckShape(w *v1alpha1.TreeWorkload, path *field.Path) field.ErrorList {
	errs := fields.OptionalBetween(w.Levels, 0, maxLevels, path.Child("levels"))
	errs = append(errs, fields.Between(w.Directories, 0, maxDirectories, path.Child("directories"))...)
	errs = append(errs, fields.OptionalBetween(w.Files, 0, maxFiles, path.Child("files"))...)
	if w.FileSize != nil {
		if n, whole := fields.Bytes(*w.FileSize); !whole || n < 0 || n > MaxFileBytes {
			errs = append(errs, field.Invalid(path.Child("fileSize"), fields.Text(*w.FileSize),
				"fileSize must be a whole number of bytes up to 1Ti, for example 4Ki"))
		}
	}
	return errs
}

// phases checks the phases one after the other, and against the tree.
func phases(w *v1alpha1.TreeWorkload, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	at := path.Child("phases")
	for i, p := range w.Phases {
		errs = append(errs, fields.OneOf(p, at.Index(i), v1alpha1.TreeCreate, v1alpha1.TreeStat, v1alpha1.TreeRewrite,
			v1alpha1.TreeRead, v1alpha1.TreeDelete)...)
		switch {
		case slices.Contains(w.Phases[:i], p):
			errs = append(errs, field.Duplicate(at.Index(i), p))
		case p == v1alpha1.TreeCreate && i > 0:
			errs = append(errs, field.Invalid(at, p, "create must be the first of phases"))
		case p == v1alpha1.TreeDelete && i < len(w.Phases)-1:
			errs = append(errs, field.Invalid(at, p, "delete must be the last of phases"))
		case (p == v1alpha1.TreeRewrite || p == v1alpha1.TreeRead) && (w.FilesPerDirectory() == 0 || w.FileBytes() == 0):
			errs = append(errs, field.Invalid(at, p,
				fmt.Sprintf("%s needs files that are not empty: see files and fileSize", p)))
		}
	}
	return errs
}
