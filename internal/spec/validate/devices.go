// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"
	"regexp"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/text/fields"
)

const (
	maxDevices    = 64
	maxDeviceName = 32
	maxPartitions = 16
	mebibyte      = 1 << 20
	maxPathLength = 255
)

// MinDeviceBytes is the least size of a file or partition that OpenZFS takes as a vdev.
const MinDeviceBytes = 64 << 20

var (
	devicePath    = regexp.MustCompile(`^/dev/disk/by-id/[A-Za-z0-9][A-Za-z0-9._:+@=-]*$`)
	partitionPath = regexp.MustCompile(`-part[0-9]+$`)
)

// devices checks each device by itself, and that names and paths are unique.
func devices(ds []v1alpha1.Device, path *field.Path) field.ErrorList {
	errs := fields.Count(len(ds), 1, maxDevices, path)
	names, paths := map[string]bool{}, map[string]bool{}
	for i, d := range ds {
		at := path.Index(i)
		errs = append(errs, device(d, at)...)
		if names[d.Name] {
			errs = append(errs, field.Duplicate(at, d.Name))
		}
		names[d.Name] = true
		for j, p := range d.Partitions {
			if names[p.Name] {
				errs = append(errs, field.Duplicate(at.Child("partitions").Index(j), p.Name))
			}
			names[p.Name] = true
		}
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
		errs = append(errs, fields.Size(d.File.Size, MinDeviceBytes, "64Mi, the least OpenZFS takes,", "2Gi", path.Child("file", "size"))...)
	}
	return append(errs, partitions(d, path.Child("partitions"))...)
}

// partitions checks how a disk is split; Consent, which knows the disk's size, checks that there is room.
func partitions(d v1alpha1.Device, path *field.Path) field.ErrorList {
	if len(d.Partitions) == 0 {
		return nil
	}
	if d.Path == "" {
		return field.ErrorList{field.Forbidden(path, "partitions are for a disk: a file needs none, make several files")}
	}
	errs := fields.Count(len(d.Partitions), 1, maxPartitions, path)
	for i, p := range d.Partitions {
		errs = append(errs, itemName(p.Name, maxDeviceName, "name becomes part of ZFS names: it must be", "slog", path.Index(i).Child("name"))...)
		if p.Size == nil {
			if i < len(d.Partitions)-1 {
				errs = append(errs, field.Invalid(path, p.Name, "partitions need a size, all but the last one, which without a size gets what is left of the disk"))
			}
			continue
		}
		at := path.Index(i).Child("size")
		errs = append(errs, fields.Size(*p.Size, MinDeviceBytes, "64Mi, the least OpenZFS takes,", "4Gi", at)...)
		if bytes, ok := fields.Bytes(*p.Size); ok && bytes%mebibyte != 0 {
			errs = append(errs, field.Invalid(at, p.Size.String(), "size of a partition must be whole MiB, for example 4Gi"))
		}
	}
	return errs
}

// parts are the devices as pools name them: a disk that is split is as many disks.
func parts(ds []v1alpha1.Device) []v1alpha1.Device {
	var all []v1alpha1.Device
	for _, d := range ds {
		if len(d.Partitions) == 0 {
			all = append(all, d)
		}
		for _, p := range d.Partitions {
			all = append(all, v1alpha1.Device{Name: p.Name, Path: d.Path})
		}
	}
	return all
}

// itemName checks the name of a device or workload: what may be part of a ZFS name and of a file name.
func itemName(name string, longest int, must, example string, path *field.Path) field.ErrorList {
	switch {
	case len(name) > longest:
		return field.ErrorList{field.TooLong(path, name, longest)}
	case !fields.Label.MatchString(name):
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
