// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/spec/matrix"
	"zfsbench.io/operator/internal/text/fields"
	treeshape "zfsbench.io/operator/internal/tools/tree"
)

const (
	// maxBonnieFiles is in units of 1024 files, maxBonnieFileBytes the size of one.
	maxBonnieFiles       = 100000
	maxBonnieFileBytes   = 1 << 30
	maxBonnieDirectories = 100000

	maxTreeLevels, maxTreeDirectories, maxTreeFiles, maxTreeWorkers = 16, 100000, 10000000, 256

	maxTreeFileBytes = 1 << 40
	// maxTreeInodes is how many directories and files all workers together may make without a limit on the time.
	maxTreeInodes = 100000000
)

var maxTime = fields.Duration{Name: "maxTime", Minimum: time.Second, Maximum: 7 * 24 * time.Hour, Least: "1s", Most: "168h", Example: "60s"}

// bonnie checks a run of bonnie++.
func bonnie(b *v1alpha1.BonnieWorkload, path *field.Path) field.ErrorList {
	if b.Size == nil && b.Files == nil {
		return field.ErrorList{field.Required(path, "at least one of size and files must be set")}
	}
	var errs field.ErrorList
	if b.Size != nil {
		at := path.Child("size")
		errs = append(errs, fields.Size(*b.Size, mebibyte, "1Mi", "2Gi", at)...)
		if n, whole := fields.Bytes(*b.Size); whole && n%mebibyte != 0 {
			errs = append(errs, field.Invalid(at, fields.Text(*b.Size), "size must be a multiple of 1Mi"))
		}
	}
	if n := b.ChunkSize; n != 0 && (n < 256 || n > mebibyte || n&(n-1) != 0) {
		errs = append(errs, field.Invalid(path.Child("chunkSize"), n, "chunkSize must be a power of 2 from 256 to 1048576 bytes"))
	}
	if f := b.Files; f != nil {
		at := path.Child("files")
		errs = append(errs, fields.Between(f.Count, 1, maxBonnieFiles, at.Child("count"))...)
		errs = append(errs, fields.Between(f.MaxSize, 0, maxBonnieFileBytes, at.Child("maxSize"))...)
		errs = append(errs, fields.Between(f.MinSize, 0, maxBonnieFileBytes, at.Child("minSize"))...)
		errs = append(errs, fields.Between(f.Directories, 0, maxBonnieDirectories, at.Child("directories"))...)
		if f.MinSize > f.MaxSize {
			errs = append(errs, field.Invalid(at.Child("minSize"), f.MinSize, "minSize must be at most maxSize"))
		}
	}
	return errs
}

// tree checks a tree of files, and that it has an end.
func tree(w *v1alpha1.TreeWorkload, path *field.Path) field.ErrorList {
	errs := treeShape(w, path)
	errs = append(errs, fields.Between(w.Workers, 0, maxTreeWorkers, path.Child("workers"))...)
	errs = append(errs, maxTime.Check(w.MaxTime, path.Child("maxTime"))...)
	if len(errs) > 0 {
		return errs
	}
	errs = treePhases(w, path)
	each, workers := treeshape.ShapeOf(*w).Inodes(), treeshape.Workers(*w)
	if w.MaxTime == nil && each > maxTreeInodes/int64(workers) {
		errs = append(errs, field.Invalid(path, each, fmt.Sprintf("%d workers with %d directories and files each are too many without maxTime: at most %d in all", workers, each, maxTreeInodes)))
	}
	return errs
}

// treeShape checks how large a tree is.
func treeShape(w *v1alpha1.TreeWorkload, path *field.Path) field.ErrorList {
	errs := fields.OptionalBetween(w.Levels, 0, maxTreeLevels, path.Child("levels"))
	errs = append(errs, fields.Between(w.Directories, 0, maxTreeDirectories, path.Child("directories"))...)
	errs = append(errs, fields.OptionalBetween(w.Files, 0, maxTreeFiles, path.Child("files"))...)
	if w.FileSize != nil {
		if n, whole := fields.Bytes(*w.FileSize); !whole || n < 0 || n > maxTreeFileBytes {
			errs = append(errs, field.Invalid(path.Child("fileSize"), fields.Text(*w.FileSize), "fileSize must be a whole number of bytes up to 1Ti, for example 4Ki"))
		}
	}
	return errs
}

// treePhases checks the phases one after the other, and against the tree.
func treePhases(w *v1alpha1.TreeWorkload, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	at := path.Child("phases")
	for i, p := range w.Phases {
		errs = append(errs, fields.OneOf(p, at.Index(i), v1alpha1.TreeCreate, v1alpha1.TreeStat, v1alpha1.TreeRewrite, v1alpha1.TreeRead, v1alpha1.TreeDelete)...)
		switch {
		case slices.Contains(w.Phases[:i], p):
			errs = append(errs, field.Duplicate(at.Index(i), p))
		case p == v1alpha1.TreeCreate && i > 0:
			errs = append(errs, field.Invalid(at, p, "create must be the first of phases"))
		case p == v1alpha1.TreeDelete && i < len(w.Phases)-1:
			errs = append(errs, field.Invalid(at, p, "delete must be the last of phases"))
		case (p == v1alpha1.TreeRewrite || p == v1alpha1.TreeRead) && (w.FilesPerDirectory() == 0 || w.FileBytes() == 0):
			errs = append(errs, field.Invalid(at, p, fmt.Sprintf("%s needs files that are not empty: see files and fileSize", p)))
		}
	}
	return errs
}

// needFilesystems refuses workloads that make files on variants that are block devices.
func needFilesystems(expanded []matrix.Variant, ws []v1alpha1.Workload, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, w := range ws {
		if !w.NeedsFilesystem() {
			continue
		}
		device := slices.IndexFunc(expanded, isBlockDevice)
		if device < 0 {
			continue
		}
		of := ""
		if len(expanded) > 1 {
			of = " " + expanded[device].Name
		}
		errs = append(errs, field.Invalid(path.Index(i), w.Name, fmt.Sprintf("it makes files, and the variant%s is a block device: give it a filesystem, or leave one of the two out", of)))
	}
	return errs
}

// isBlockDevice says whether workloads get a device in place of a directory.
func isBlockDevice(v matrix.Variant) bool {
	if v.Baseline != nil {
		return v.Baseline.IsBlockDevice()
	}
	return v.Dataset != nil && v.Dataset.IsBlockDevice()
}
