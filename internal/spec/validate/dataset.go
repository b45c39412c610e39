// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/text/fields"
	"zfsbench.io/operator/internal/tools/fio"
)

// dataset checks the options of a filesystem on a volume, and the properties of children against what they are.
func dataset(d *v1alpha1.DatasetSpec, path *field.Path) field.ErrorList {
	if d == nil {
		return nil
	}
	var errs field.ErrorList
	if d.Volume != nil && d.Volume.Filesystem != nil {
		errs = append(errs, otherFilesystem(*d.Volume.Filesystem, path.Child("volume", "filesystem"))...)
	}
	return append(errs, children(d, path.Child("children"))...)
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
			errs = append(errs, field.Invalid(path, w.Name, fmt.Sprintf("workloads must fit into the volume: size x numJobs "+
				"is more than dataset.%s.size", what)))
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

// roomOf is the size of a dataset in bytes, 0 if nothing bounds it or the size is not valid, and the field that says
// so.
func roomOf(d *v1alpha1.DatasetSpec) (what string, bytes int64) {
	if d == nil {
		return "", 0
	}
	var q resource.Quantity
	switch {
	case d.Volume != nil:
		what, q = "volume", d.Volume.Size
	case d.PersistentVolume != nil:
		what, q = "persistentVolume", d.PersistentVolume.Size
	case d.Quota != nil:
		what, q = "quota", d.Quota.Size
	default:
		return "", 0
	}
	n, whole := fields.Bytes(q)
	if !whole {
		return what, 0
	}
	return what, n
}
