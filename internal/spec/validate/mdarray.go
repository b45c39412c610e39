// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"math/bits"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/text/fields"
)

const (
	minChunkBytes = 4 << 10
	maxChunkBytes = 64 << 20
)

// mdArray checks an md array against the devices, and its chunks. Sizes of disks are in the policies.
func mdArray(a v1alpha1.MDArray, ds []v1alpha1.Device, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, name := range a.Devices {
		errs = append(errs, baselineDevice("devices", name, ds, path.Child("devices").Index(i))...)
	}
	if a.ChunkSize == nil {
		return errs
	}
	if n, whole := fields.Bytes(*a.ChunkSize); !whole || n < minChunkBytes || n > maxChunkBytes ||
		bits.OnesCount64(uint64(n)) != 1 {
		errs = append(errs, field.Invalid(path.Child("chunkSize"), fields.Text(*a.ChunkSize),
			"chunkSize must be a power of two from 4Ki to 64Mi, for example 64Ki"))
	}
	return errs
}
