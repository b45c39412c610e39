// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/text/fields"
)

const gibibyte = 1 << 30

func persistentVolume(d *v1alpha1.DatasetSpec, path *field.Path) field.ErrorList {
	p := d.PersistentVolume
	switch {
	case d.Type == v1alpha1.DatasetPersistentVolume && p == nil:
		return field.ErrorList{field.Required(path, "persistentVolume is required for type PersistentVolume: say its size")}
	case p == nil:
		return nil
	}
	var errs field.ErrorList
	if d.Type != v1alpha1.DatasetPersistentVolume {
		errs = append(errs, field.Forbidden(path, "persistentVolume is only for type PersistentVolume: remove it, or set type to PersistentVolume"))
	}
	errs = append(errs, claimSize(p.Size, path.Child("size"))...)
	if p.FSType != "" {
		errs = append(errs, fields.OneOf(p.FSType, path.Child("fsType"), v1alpha1.FSTypeZFS, "ext2", "ext3", "ext4", "xfs", "btrfs")...)
	}
	errs = append(errs, volumeMode(p.VolumeMode, path.Child("volumeMode"))...)
	if (p.FSType != "") == (p.VolumeMode == v1alpha1.VolumeBlock) {
		errs = append(errs, field.Invalid(path, p.FSType, "exactly one of fsType and volumeMode Block must be set"))
	}
	return errs
}

// claimSize wants a size that the driver takes as it is.
func claimSize(q resource.Quantity, path *field.Path) field.ErrorList {
	n, whole := fields.Bytes(q)
	unit := int64(mebibyte)
	if n > gibibyte {
		unit = gibibyte
	}
	if !whole || n < minVolumeSizeBytes || n > fields.MaxBytes || n%unit != 0 {
		return field.ErrorList{field.Invalid(path, fields.Text(q), "size must be whole MiB up to 1Gi, and whole GiB from there to 64Ti, for example 8Gi: the driver rounds any other up")}
	}
	return nil
}

func volumeMode(m v1alpha1.VolumeMode, path *field.Path) field.ErrorList {
	if m == "" {
		return nil
	}
	return fields.OneOf(m, path, v1alpha1.VolumeFilesystem, v1alpha1.VolumeBlock)
}

func quota(d *v1alpha1.DatasetSpec, path *field.Path) field.ErrorList {
	if d.Quota == nil {
		return nil
	}
	var errs field.ErrorList
	if d.Type != v1alpha1.DatasetFilesystem {
		errs = append(errs, field.Forbidden(path, "quota is only for type Filesystem, the others have a size: remove it"))
	}
	return append(errs, fields.Size(d.Quota.Size, minVolumeSizeBytes, "1Mi", "8Gi", path.Child("size"))...)
}

// properties are those that the dataset has, as far as its type says which these are.
func properties(d *v1alpha1.DatasetSpec, path *field.Path) field.ErrorList {
	errs := DatasetProperties(d.ZFSType(), d.Properties, path)
	if _, set := d.Properties["volthreading"]; set && d.Type == v1alpha1.DatasetPersistentVolume {
		errs = append(errs, field.Forbidden(path, "volthreading is no parameter of the driver, and no volume inherits it: remove it"))
	}
	return errs
}

// roomOf is the size of a dataset in bytes, 0 if nothing bounds it or the size is not valid, and the field that says so.
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

// claimBaseline checks the claim to a volume of a StorageClass that exists.
func claimBaseline(c *v1alpha1.PersistentVolumeBaseline, path *field.Path) field.ErrorList {
	errs := className(c.StorageClassName, "storageClassName", path.Child("storageClassName"))
	errs = append(errs, fields.Size(c.Size, minVolumeSizeBytes, "1Mi", "8Gi", path.Child("size"))...)
	return append(errs, volumeMode(c.VolumeMode, path.Child("volumeMode"))...)
}

// className checks the name of a StorageClass, in a field of this name.
func className(name, called string, path *field.Path) field.ErrorList {
	return fields.SubdomainName(name, called+" must be the name of a StorageClass", path)
}

// ClaimVariant checks a variant that is a claim to a StorageClass, which has no devices, with the workloads that run on it.
func ClaimVariant(b v1alpha1.Baseline, ws []v1alpha1.Workload) field.ErrorList {
	var root *field.Path
	errs := append(baseline(b, nil, root.Child("baseline")), workloads(ws, root.Child("workloads"))...)
	for i, w := range ws {
		switch at := root.Child("workloads").Index(i); {
		case w.Pool != nil:
			errs = append(errs, field.Forbidden(at, "it does something with a pool, and there is none"))
		case w.NeedsFilesystem() && b.IsBlockDevice():
			errs = append(errs, field.Invalid(at, w.Name, "it makes files, and the variant is a block device"))
		}
	}
	return errs
}
