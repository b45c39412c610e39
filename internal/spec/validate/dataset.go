// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/text/fields"
	"zfsbench.io/operator/internal/tools/fio"
)

const (
	minVolumeSizeBytes = 1 << 20
	// defaultVolblocksize is that of OpenZFS 2.2 and later.
	defaultVolblocksize = 16 << 10
)

func dataset(d *v1alpha1.DatasetSpec, path *field.Path) field.ErrorList {
	if d == nil {
		return nil
	}
	errs := fields.OneOf(d.Type, path.Child("type"), v1alpha1.DatasetFilesystem, v1alpha1.DatasetVolume, v1alpha1.DatasetPersistentVolume)
	errs = append(errs, volume(d, path.Child("volume"))...)
	errs = append(errs, persistentVolume(d, path.Child("persistentVolume"))...)
	errs = append(errs, quota(d, path.Child("quota"))...)
	errs = append(errs, children(d, path.Child("children"))...)
	return append(errs, properties(d, path.Child("properties"))...)
}

func volume(d *v1alpha1.DatasetSpec, path *field.Path) field.ErrorList {
	switch {
	case d.Type == v1alpha1.DatasetVolume && d.Volume == nil:
		return field.ErrorList{field.Required(path, "volume is required for type Volume: say its size")}
	case d.Volume == nil:
		return nil
	}
	var errs field.ErrorList
	if d.Type != v1alpha1.DatasetVolume {
		errs = append(errs, field.Forbidden(path, "volume is only for type Volume: remove it, or set type to Volume"))
	}
	at := path.Child("size")
	errs = append(errs, fields.Size(d.Volume.Size, minVolumeSizeBytes, "1Mi", "8Gi", at)...)
	if d.Volume.Filesystem != nil {
		errs = append(errs, otherFilesystem(*d.Volume.Filesystem, path.Child("filesystem"))...)
	}
	block := int64(defaultVolblocksize)
	if v, ok := d.Properties["volblocksize"]; ok {
		n, err := v1alpha1.ParseBlockSize(string(v))
		if err != nil {
			// Reported with the properties.
			return errs
		}
		block = n
	}
	if n, whole := fields.Bytes(d.Volume.Size); whole && n%block != 0 {
		errs = append(errs, field.Invalid(at, fields.Text(d.Volume.Size), "size must be a multiple of volblocksize, which is 16K unless properties say otherwise"))
	}
	return errs
}

// volumeHolds checks that the parts of a volume which the jobs of a workload use fit into it.
func volumeHolds(d *v1alpha1.DatasetSpec, ws []v1alpha1.Workload, path *field.Path) field.ErrorList {
	what, room := roomOf(d)
	if room == 0 {
		return nil
	}
	var errs field.ErrorList
	for _, w := range ws {
		if w.Fio == nil {
			continue
		}
		if sizeOfAll(*w.Fio) > room {
			errs = append(errs, field.Invalid(path, w.Name, fmt.Sprintf("workloads must fit into the volume: size x numJobs is more than dataset.%s.size", what)))
		}
	}
	return errs
}

// sizeOfAll is what all processes of a workload use together, as far as their sizes are valid.
func sizeOfAll(f v1alpha1.FioWorkload) int64 {
	var all int64
	for _, j := range f.AllJobs() {
		if n, whole := fields.Bytes(j.Size); whole && n <= fields.MaxBytes {
			all += n * int64(min(j.NumJobs, fio.MaxProcesses))
		}
	}
	return all
}
