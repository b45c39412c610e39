// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"
	"regexp"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"zfsbench.io/operator/api/v1alpha1"
)

const (
	maxDevices       = 64
	maxDeviceName    = 32
	maxPathLength    = 255
	minFileSizeBytes = 64 << 20
)

var (
	devicePath    = regexp.MustCompile(`^/dev/disk/by-id/[A-Za-z0-9][A-Za-z0-9._:+@=-]*$`)
	partitionPath = regexp.MustCompile(`-part[0-9]+$`)
)

// devices checks each device by itself, and that names and paths are unique.
func devices(ds []v1alpha1.Device, path *field.Path) field.ErrorList {
	errs := count(len(ds), 1, maxDevices, path)
	names, paths := map[string]bool{}, map[string]bool{}
	for i, d := range ds {
		at := path.Index(i)
		errs = append(errs, device(d, at)...)
		if names[d.Name] {
			errs = append(errs, field.Duplicate(at, d.Name))
		}
		names[d.Name] = true
		if d.Path != "" && paths[d.Path] {
			errs = append(errs, field.Invalid(path, d.Path, fmt.Sprintf("devices uses the path %s more than once: every device must have a path of its own", d.Path)))
		}
		paths[d.Path] = true
	}
	return errs
}

func device(d v1alpha1.Device, path *field.Path) field.ErrorList {
	errs := itemName(d.Name, maxDeviceName, "name becomes part of ZFS names: it must be", "d0", path.Child("name"))
	if (d.Path != "") == (d.File != nil) {
		errs = append(errs, field.Invalid(path, d.Name, "exactly one of path and file must be set: path names a disk, file makes a file in the scratch directory"))
	}
	if d.Path != "" {
		errs = append(errs, diskPath(d.Path, path.Child("path"))...)
	}
	if d.File != nil {
		errs = append(errs, size(d.File.Size, minFileSizeBytes, "64Mi, the least OpenZFS takes,", "2Gi", path.Child("file", "size"))...)
	}
	return errs
}

// itemName checks the name of a device or workload: what may be part of a ZFS name and of a file name.
func itemName(name string, longest int, must, example string, path *field.Path) field.ErrorList {
	switch {
	case len(name) > longest:
		return field.ErrorList{field.TooLong(path, name, longest)}
	case !label.MatchString(name):
		return field.ErrorList{field.Invalid(path, name,
			fmt.Sprintf("%s lower-case letters, digits and '-', with a letter or digit at both ends, for example %s", must, example))}
	}
	return nil
}

// diskPath checks the stable path of a whole disk.
func diskPath(p string, path *field.Path) field.ErrorList {
	switch {
	case len(p) > maxPathLength:
		return field.ErrorList{field.TooLong(path, p, maxPathLength)}
	case !devicePath.MatchString(p):
		return field.ErrorList{field.Invalid(path, p, "path must be a disk's stable path, for example /dev/disk/by-id/wwn-0x5000c500a1b2c3d4, without globs: "+
			"other names may mean another disk after a reboot")}
	case partitionPath.MatchString(p):
		return field.ErrorList{field.Invalid(path, p, "path must be a whole disk, not a partition: remove -part and the number")}
	}
	return nil
}
