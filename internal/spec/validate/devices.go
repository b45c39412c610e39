// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/text/fields"
)

const mebibyte = 1 << 20

// MinDeviceBytes is the smallest file or partition that OpenZFS accepts as a vdev.
const MinDeviceBytes = 64 << 20

// devices checks the sizes of partitions, and that every device, every partition and every disk of a class has its own
// name.
func devices(ds []v1alpha1.Device, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	names, partitions := map[string]bool{}, map[string]bool{}
	for i, d := range ds {
		at := path.Index(i)
		if partitions[d.Name] {
			errs = append(errs, field.Duplicate(at, d.Name))
		}
		names[d.Name] = true
		for j, p := range d.Partitions {
			part := at.Child("partitions").Index(j)
			if names[p.Name] || partitions[p.Name] {
				errs = append(errs, field.Duplicate(part, p.Name))
			}
			errs = append(errs, partitionSize(p, part.Child("size"))...)
		}
		for _, p := range d.Partitions {
			partitions[p.Name] = true
		}
	}
	return append(errs, classNames(ds, path)...)
}

// classNames refuses disks of a class that have the name of something else. No disk of a class is meant by the name of
// its device.
func classNames(ds []v1alpha1.Device, path *field.Path) field.ErrorList {
	owners := map[string]string{}
	for _, d := range ds {
		if d.Class == "" {
			owners[d.Name] = "device " + d.Name
		}
		for _, p := range d.Partitions {
			owners[p.Name] = fmt.Sprintf("partition %s of device %s", p.Name, d.Name)
		}
	}
	var errs field.ErrorList
	for i, d := range ds {
		if d.Class == "" {
			continue
		}
		for _, disk := range d.Numbered() {
			if owner := owners[disk.Name]; owner != "" {
				errs = append(errs, field.Invalid(path.Index(i).Child("name"), d.Name, fmt.Sprintf("device %s of class %s "+
					"has a disk %s, and there is %s: rename one of the two", d.Name, d.Class, disk.Name, owner)))
			}
			owners[disk.Name] = fmt.Sprintf("a disk %s of device %s", disk.Name, d.Name)
		}
	}
	return errs
}

// partitionSize checks a partition; Consent, which knows the disk's size, checks that there is room.
func partitionSize(p v1alpha1.Partition, path *field.Path) field.ErrorList {
	if p.Size == nil {
		return nil
	}
	switch n, whole := fields.Bytes(*p.Size); {
	case !whole || n < MinDeviceBytes || n > fields.MaxBytes:
		return field.ErrorList{field.Invalid(path, fields.Text(*p.Size),
			"size must be a whole number of bytes from 64Mi, the least OpenZFS takes, to 64Ti, for example 4Gi")}
	case n%mebibyte != 0:
		return field.ErrorList{field.Invalid(path, fields.Text(*p.Size), "size of a partition must be whole MiB, for "+
			"example 4Gi")}
	}
	return nil
}

// parts are the devices as pools name them: each partition of a split disk, and each disk of a class, is one.
func parts(ds []v1alpha1.Device) []v1alpha1.Device {
	var all []v1alpha1.Device
	for _, d := range ds {
		if len(d.Partitions) == 0 {
			all = append(all, d.Numbered()...)
		}
		for _, p := range d.Partitions {
			all = append(all, v1alpha1.Device{Name: p.Name, Path: d.Path})
		}
	}
	return all
}

// hasOtherNames says whether pools call some devices by other names than the spec does.
func hasOtherNames(ds []v1alpha1.Device) bool {
	return slices.ContainsFunc(ds, func(d v1alpha1.Device) bool { return len(d.Partitions) > 0 || d.Class != "" })
}
