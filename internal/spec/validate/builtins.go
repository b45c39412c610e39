// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/text/fields"
	treeshape "zfsbench.io/operator/internal/tools/tree"
)

const (
	maxStreams, maxStreamCounts = 256, 8
	// minBlockBytes is the size of a sector, maxBlockBytes times maxStreams the memory for buffers: 4 GiB.
	minBlockBytes, maxBlockBytes = 512, 16 << 20
)

// streams checks sequential streams.
func streams(w *v1alpha1.StreamsWorkload, path *field.Path) field.ErrorList {
	errs := fields.Size(w.Size, 1, "1", "10Gi", path.Child("size"))
	at := path.Child("counts")
	errs = append(errs, fields.Count(len(w.Counts), 0, maxStreamCounts, at)...)
	for i, n := range w.Counts {
		errs = append(errs, fields.Between(n, 1, maxStreams, at.Index(i))...)
		if slices.Contains(w.Counts[:i], n) {
			errs = append(errs, field.Duplicate(at.Index(i), n))
		}
	}
	if w.BlockSize != nil {
		if n, whole := fields.Bytes(*w.BlockSize); !whole || n < minBlockBytes || n > maxBlockBytes {
			errs = append(errs, field.Invalid(path.Child("blockSize"), fields.Text(*w.BlockSize), "blockSize must be a whole number of bytes from 512 to 16Mi, for example 128Ki"))
		}
	}
	at = path.Child("phases")
	for i, p := range w.Phases {
		errs = append(errs, fields.OneOf(p, at.Index(i), v1alpha1.StreamsWrite, v1alpha1.StreamsRead)...)
		switch {
		case slices.Contains(w.Phases[:i], p):
			errs = append(errs, field.Duplicate(at.Index(i), p))
		case p == v1alpha1.StreamsWrite && i > 0:
			errs = append(errs, field.Invalid(at, p, "write must come before read in phases"))
		}
	}
	return errs
}

// copying checks a copy of a tree. What is copied is made without a limit on the time.
func copying(w *v1alpha1.CopyWorkload, path *field.Path) field.ErrorList {
	source := w.Source()
	errs := fields.OneOf(w.Tool, path.Child("tool"), v1alpha1.CopyRsync, v1alpha1.CopyCp)
	errs = append(errs, treeShape(&source, path)...)
	errs = append(errs, maxTime.Check(w.MaxTime, path.Child("maxTime"))...)
	if len(errs) > 0 {
		return errs
	}
	if n := treeshape.ShapeOf(source).Inodes(); n > maxTreeInodes {
		errs = append(errs, field.Invalid(path, n, fmt.Sprintf("it has too many directories and files: at most %d", maxTreeInodes)))
	}
	return errs
}
