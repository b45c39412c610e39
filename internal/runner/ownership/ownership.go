// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"path/filepath"
	"slices"
	"strings"

	"zfsbench.io/operator/internal/result"
)

// Paths are the paths on which a pool or baseline is created: the file, or the disk's partitions by their GUIDs.
func Paths(d result.OwnedDevice) []string {
	if d.File != "" {
		return []string{d.File}
	}
	var paths []string
	for _, p := range d.Partitions {
		paths = append(paths, "/dev/disk/by-partuuid/"+strings.ToLower(p.GUID))
	}
	return paths
}

// SamePath says whether two paths are the same file or device.
func SamePath(a, b string) bool {
	if a == b {
		return true
	}
	realA, errA := filepath.EvalSymlinks(a)
	realB, errB := filepath.EvalSymlinks(b)
	return errA == nil && errB == nil && realA == realB
}

// Names lists devices with their paths, for messages.
func Names(devices []result.OwnedDevice) string {
	var names []string
	for _, d := range devices {
		at := d.Path
		if d.File != "" {
			at = d.File
		}
		names = append(names, d.Name+" at "+at)
	}
	return strings.Join(names, ", ")
}

// Reachable leaves out the devices that are no longer the benchmark's.
func Reachable(devices []result.OwnedDevice) []result.OwnedDevice {
	return slices.DeleteFunc(slices.Clone(devices), func(d result.OwnedDevice) bool { return d.Gone != "" })
}

// AllPaths are the paths of all recorded partitions.
func AllPaths(own result.Ownership) []string {
	var paths []string
	for _, d := range own.Devices {
		paths = append(paths, Paths(d)...)
	}
	return paths
}

// HasPath says whether a path is a recorded partition or file.
func HasPath(own result.Ownership, path string) bool {
	return slices.ContainsFunc(AllPaths(own), func(owned string) bool { return SamePath(path, owned) })
}

// FilesystemUUID is the UUID of the filesystem in the partition with a name, or on the array that it is a member of;
// empty if there is none.
func FilesystemUUID(own result.Ownership, name string) string {
	for _, d := range own.Devices {
		for _, p := range d.Partitions {
			if p.Name == name {
				return p.FilesystemUUID
			}
		}
	}
	return ""
}

// SearchPaths is where an import finds the recorded devices: partitions, and the directories of files.
func SearchPaths(devices []result.OwnedDevice) []string {
	var paths []string
	for _, d := range devices {
		for _, path := range Paths(d) {
			if d.File != "" {
				path = filepath.Dir(path)
			}
			if !slices.Contains(paths, path) {
				paths = append(paths, path)
			}
		}
	}
	return paths
}
