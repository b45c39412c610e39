// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/storage/filesystem"
)

// baselines checks the devices and the options of each baseline. Each partition of a split disk counts as a disk.
func baselines(s v1alpha1.ZfsBenchmarkSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, b := range s.Baselines {
		errs = append(errs, baseline(b, parts(s.Devices), path.Child("baselines").Index(i))...)
	}
	if len(s.Baselines) > 0 && s.Pool == nil && s.Matrix == nil {
		errs = append(errs, withoutPool(s, path)...)
	}
	return errs
}

// withoutPool refuses what would be ignored where there are only baselines.
func withoutPool(s v1alpha1.ZfsBenchmarkSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	const problem = " is for a pool, and there are only baselines: remove it, or set pool"
	if s.Dataset != nil {
		errs = append(errs, field.Forbidden(path.Child("dataset"), "dataset"+problem))
	}
	if len(s.ModuleParameters) > 0 {
		errs = append(errs, field.Forbidden(path.Child("moduleParameters"), "moduleParameters"+problem))
	}
	return errs
}

func baseline(b v1alpha1.Baseline, ds []v1alpha1.Device, path *field.Path) field.ErrorList {
	switch {
	case b.Raw != nil:
		return baselinePlace(b, ds, path.Child("raw"))
	case b.Filesystem != nil:
		at := path.Child("filesystem")
		return append(baselinePlace(b, ds, at), otherFilesystem(b.Filesystem.FilesystemSpec, at)...)
	}
	return nil
}

// baselinePlace requires a disk, a partition of one, or an md array.
func baselinePlace(b v1alpha1.Baseline, ds []v1alpha1.Device, path *field.Path) field.ErrorList {
	if array := b.Array(); array != nil {
		return mdArray(*array, ds, path.Child("md"))
	}
	return baselineDevice("device", b.Device(), ds, path.Child("device"))
}

// baselineDevice requires a disk, or a partition of one. what is the field's name.
func baselineDevice(what, name string, ds []v1alpha1.Device, path *field.Path) field.ErrorList {
	i := slices.IndexFunc(ds, func(d v1alpha1.Device) bool { return d.Name == name })
	switch {
	case i < 0:
		return field.ErrorList{field.Invalid(path, name,
			fmt.Sprintf("%s names %s, which is not in spec.devices", what, name))}
	case ds[i].File != nil:
		return field.ErrorList{field.Invalid(path, name,
			fmt.Sprintf("%s names %s, which is a file: a baseline needs a disk", what, name))}
	}
	return nil
}

// otherFilesystem checks the options, which internal/storage/filesystem knows for each type.
func otherFilesystem(spec v1alpha1.FilesystemSpec, path *field.Path) field.ErrorList {
	f, known := filesystem.Of(spec.Type)
	if !known {
		return nil
	}
	var errs field.ErrorList
	for _, err := range f.CheckMkfs(spec) {
		errs = append(errs, field.Invalid(path.Child("mkfsOptions"), field.OmitValueType{},
			fmt.Sprintf("%s: %v", spec.Type, err)))
	}
	for _, err := range f.CheckMount(spec) {
		errs = append(errs, field.Invalid(path.Child("mountOptions"), field.OmitValueType{},
			fmt.Sprintf("%s: %v", spec.Type, err)))
	}
	return errs
}
