// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"
	"regexp"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/storage/filesystem"
	"zfsbench.io/operator/internal/text/fields"
)

const (
	maxBaselines       = 16
	maxBaselineOptions = 16
	maxBaselineOption  = 64
)

var baselineOption = regexp.MustCompile(`^[a-z][A-Za-z0-9_]*(=[A-Za-z0-9:]+)?$`)

// baselines checks each baseline by itself, and against the devices, a disk that is split being as many disks.
func baselines(s v1alpha1.ZfsBenchmarkSpec, path *field.Path) field.ErrorList {
	if s.Baselines == nil {
		return nil
	}
	at := path.Child("baselines")
	errs := fields.Count(len(s.Baselines), 1, maxBaselines, at)
	names := map[v1alpha1.AxisValueName]bool{}
	for i, b := range s.Baselines {
		errs = append(errs, baseline(b, parts(s.Devices), at.Index(i))...)
		if names[b.Name] {
			errs = append(errs, field.Duplicate(at.Index(i), b.Name))
		}
		names[b.Name] = true
	}
	if s.Pool == nil && s.Matrix == nil {
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
	errs := aValueName(b.Name, path.Child("name"))
	kinds := 0
	for _, set := range []bool{b.Filesystem != nil, b.Raw != nil, b.PersistentVolume != nil} {
		if set {
			kinds++
		}
	}
	switch {
	case kinds != 1:
		return append(errs, field.Invalid(path, b.Name, "exactly one of filesystem, raw and persistentVolume must be set"))
	case b.Raw != nil:
		return append(errs, baselinePlace(b, ds, path.Child("raw"))...)
	case b.PersistentVolume != nil:
		return append(errs, claimBaseline(b.PersistentVolume, path.Child("persistentVolume"))...)
	}
	at := path.Child("filesystem")
	errs = append(errs, baselinePlace(b, ds, at)...)
	return append(errs, otherFilesystem(b.Filesystem.FilesystemSpec, at)...)
}

// baselinePlace wants a disk, a partition of one, or an md array.
func baselinePlace(b v1alpha1.Baseline, ds []v1alpha1.Device, path *field.Path) field.ErrorList {
	device, array := b.Device(), b.Array()
	switch {
	case (device != "") == (array != nil):
		return field.ErrorList{field.Invalid(path, b.Name, "exactly one of device and md must be set")}
	case array != nil:
		return mdArray(*array, ds, path.Child("md"))
	}
	return baselineDevice("device", device, ds, path.Child("device"))
}

// baselineDevice wants a disk, or a partition of one. what is the field's name.
func baselineDevice(what, name string, ds []v1alpha1.Device, path *field.Path) field.ErrorList {
	i := slices.IndexFunc(ds, func(d v1alpha1.Device) bool { return d.Name == name })
	switch {
	case len(name) > maxDeviceName:
		return field.ErrorList{field.TooLong(path, name, maxDeviceName)}
	case !fields.Label.MatchString(name):
		return field.ErrorList{field.Invalid(path, name, fmt.Sprintf("should match '%s'", fields.Label))}
	case i < 0:
		return field.ErrorList{field.Invalid(path, name, fmt.Sprintf("%s names %s, which is not in spec.devices", what, name))}
	case ds[i].Path == "":
		return field.ErrorList{field.Invalid(path, name, fmt.Sprintf("%s names %s, which is a file: a baseline needs a disk", what, name))}
	}
	return nil
}

func otherFilesystem(spec v1alpha1.FilesystemSpec, path *field.Path) field.ErrorList {
	errs := fields.OneOf(spec.Type, path.Child("type"), filesystem.Types()...)
	for _, list := range []struct {
		name    string
		options []v1alpha1.FilesystemOption
		check   func(filesystem.Filesystem) []error
	}{
		{"mkfsOptions", spec.MkfsOptions, func(f filesystem.Filesystem) []error { return f.CheckMkfs(spec) }},
		{"mountOptions", spec.MountOptions, func(f filesystem.Filesystem) []error { return f.CheckMount(spec) }},
	} {
		at := path.Child(list.name)
		wrong := fields.Count(len(list.options), 0, maxBaselineOptions, at)
		for i, o := range list.options {
			wrong = append(wrong, optionText(o, at.Index(i))...)
		}
		// What the type says about a text that is none repeats it.
		if f, known := filesystem.Of(spec.Type); known && len(wrong) == 0 {
			for _, err := range list.check(f) {
				wrong = append(wrong, field.Invalid(at, field.OmitValueType{}, fmt.Sprintf("%s: %v", spec.Type, err)))
			}
		}
		errs = append(errs, wrong...)
	}
	return errs
}

func optionText(o v1alpha1.FilesystemOption, path *field.Path) field.ErrorList {
	switch {
	case len(o) > maxBaselineOption:
		return field.ErrorList{field.TooLong(path, o, maxBaselineOption)}
	case !baselineOption.MatchString(string(o)):
		return field.ErrorList{field.Invalid(path, o, fmt.Sprintf("should match '%s'", baselineOption))}
	}
	return nil
}
