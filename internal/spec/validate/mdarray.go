// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"
	"math/bits"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/storage/mdraid"
	"zfsbench.io/operator/internal/text/fields"
)

const (
	maxArrayDevices = 64
	minChunkBytes   = 4 << 10
	maxChunkBytes   = 64 << 20
)

// mdArray checks an md array by itself, and against the devices. Sizes of disks are in the policies.
func mdArray(a v1alpha1.MDArray, ds []v1alpha1.Device, path *field.Path) field.ErrorList {
	errs := fields.OneOf(a.Level, path.Child("level"), mdraid.Names()...)
	errs = append(errs, arrayDevices(a, ds, path.Child("devices"))...)
	level, known := mdraid.Of(a.Level)
	if a.ChunkSize != nil {
		errs = append(errs, chunkSize(a, path.Child("chunkSize"))...)
		if known && !level.Stripes() {
			errs = append(errs, field.Forbidden(path.Child("chunkSize"), fmt.Sprintf("chunkSize is for levels that stripe, and %s does not: remove it", a.Level)))
		}
	}
	if a.Bitmap != "" {
		errs = append(errs, fields.OneOf(a.Bitmap, path.Child("bitmap"), v1alpha1.MDBitmapNone, v1alpha1.MDBitmapInternal)...)
		if known && !level.IsRedundant() {
			errs = append(errs, field.Forbidden(path.Child("bitmap"), fmt.Sprintf("bitmap is for levels with redundancy, and %s has none: remove it", a.Level)))
		}
	}
	return errs
}

// arrayDevices wants as many different disks, or partitions of disks, as the level needs.
func arrayDevices(a v1alpha1.MDArray, ds []v1alpha1.Device, path *field.Path) field.ErrorList {
	errs := fields.Count(len(a.Devices), 2, maxArrayDevices, path)
	if level, known := mdraid.Of(a.Level); known && len(errs) == 0 && len(a.Devices) < level.MinDevices {
		errs = append(errs, field.Invalid(path, len(a.Devices), fmt.Sprintf("devices must be at least %d for level %s", level.MinDevices, a.Level)))
	}
	errs = append(errs, fields.Duplicates(a.Devices, path)...)
	for i, name := range a.Devices {
		errs = append(errs, baselineDevice("devices", name, ds, path.Index(i))...)
	}
	return errs
}

func chunkSize(a v1alpha1.MDArray, path *field.Path) field.ErrorList {
	n, isWhole := fields.Bytes(*a.ChunkSize)
	if !isWhole || n < minChunkBytes || n > maxChunkBytes || bits.OnesCount64(uint64(n)) != 1 {
		return field.ErrorList{field.Invalid(path, fields.Text(*a.ChunkSize), "chunkSize must be a power of two from 4Ki to 64Mi, for example 64Ki")}
	}
	return nil
}
