// SPDX-License-Identifier: Apache-2.0

package filesystem

import (
	"slices"
	"strings"

	"zfsbench.io/operator/api/v1alpha1"
)

// AccessTime says which reads update a file's access time.
type AccessTime string

// Relative is the kernel's default.
const (
	AccessTimeRelative AccessTime = "relatime"
	AccessTimeNever    AccessTime = "noatime"
	AccessTimeAlways   AccessTime = "strictatime"
)

// accessTimes are options that the kernel takes as flags, for every type.
var accessTimes = []Option{bare(string(AccessTimeRelative)), bare(string(AccessTimeNever)),
	bare(string(AccessTimeAlways))}

// Mount is how a filesystem is mounted.
type Mount struct {
	// Type is the kernel's name of the filesystem.
	Type       string
	AccessTime AccessTime
	// Data are the options that the filesystem itself parses, joined by commas.
	Data string
}

// Mount returns how to mount the filesystem for a benchmark. The error is an *OptionError.
func (f Filesystem) Mount(spec v1alpha1.FilesystemSpec) (Mount, error) {
	if errs := f.CheckMount(spec); len(errs) > 0 {
		return Mount{}, errs[0]
	}
	mount := Mount{Type: string(f.Type), AccessTime: AccessTimeRelative}
	var data []string
	for _, s := range settingsOf(spec.MountOptions) {
		if isAccessTime(s.name) {
			mount.AccessTime = AccessTime(s.name)
		} else {
			data = append(data, s.String())
		}
	}
	mount.Data = strings.Join(data, ",")
	return mount, nil
}

// CheckMount returns what is wrong with the mount options, in their order. Each error is an *OptionError.
func (f Filesystem) CheckMount(spec v1alpha1.FilesystemSpec) []error {
	return check(f.MountOptions(), spec.MountOptions, func(name string) string {
		if isAccessTime(name) {
			return "the access time"
		}
		return name
	})
}

func isAccessTime(name string) bool {
	return slices.ContainsFunc(accessTimes, func(o Option) bool { return o.Name == name })
}
