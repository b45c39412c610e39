// SPDX-License-Identifier: Apache-2.0

package streams

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/text/fields"
)

const (
	maxStreams, maxCounts = 256, 8
	// minBlockBytes is the size of a sector, maxBlockBytes times maxStreams the memory for buffers: 4 GiB.
	minBlockBytes, maxBlockBytes = 512, 16 << 20
)

// Validate checks sequential streams.
func (t Tool) Validate(path *field.Path) field.ErrorList {
	errs := fields.Size(t.Size, 1, "1", "10Gi", path.Child("size"))
	at := path.Child("counts")
	errs = append(errs, fields.Count(len(t.Counts), 0, maxCounts, at)...)
	for i, n := range t.Counts {
		errs = append(errs, fields.Between(n, 1, maxStreams, at.Index(i))...)
		if slices.Contains(t.Counts[:i], n) {
			errs = append(errs, field.Duplicate(at.Index(i), n))
		}
	}
	if t.BlockSize != nil {
		if n, whole := fields.Bytes(*t.BlockSize); !whole || n < minBlockBytes || n > maxBlockBytes {
			errs = append(errs, field.Invalid(path.Child("blockSize"), fields.Text(*t.BlockSize),
				"blockSize must be a whole number of bytes from 512 to 16Mi, for example 128Ki"))
		}
	}
	at = path.Child("phases")
	for i, p := range t.Phases {
		errs = append(errs, fields.OneOf(p, at.Index(i), v1alpha1.StreamsWrite, v1alpha1.StreamsRead)...)
		switch {
		case slices.Contains(t.Phases[:i], p):
			errs = append(errs, field.Duplicate(at.Index(i), p))
		case p == v1alpha1.StreamsWrite && i > 0:
			errs = append(errs, field.Invalid(at, p, "write must come before read in phases"))
		}
	}
	return errs
}
