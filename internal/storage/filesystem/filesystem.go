// SPDX-License-Identifier: Apache-2.0

package filesystem

import (
	"slices"
	"strings"

	"zfsbench.io/operator/api/v1alpha1"
)

// Filesystem is a type of filesystem.
type Filesystem struct {
	Type v1alpha1.FilesystemType
	// Version is a command that prints the version of the tool that makes the filesystem, and changes nothing. The
	// first word is the tool.
	Version []string
	// RarelyUsed means that few nodes use the kernel's module for it, so that few people look for its bugs. A benchmark
	// needs the storage administrator's consent to have it loaded.
	RarelyUsed bool
	// MinBytes is the smallest partition that the tool accepts, with some margin.
	MinBytes int64
	// usable is the least part of a partition that a new filesystem leaves for files of an unprivileged user.
	usable float64
	// initial is the part of a partition that the tool writes.
	initial float64
	// make is the tool with the options that a benchmark cannot change: it neither discards, nor forces, nor leaves
	// anything to be initialised later. The UUID and the device follow.
	make []string
	// uuid are the arguments before the UUID. If the last one ends in "=", the UUID is appended to it.
	uuid []string
	// mark makes the value that follows these arguments from a UUID; nil for the UUID itself.
	mark func(uuid string) string
	// mkfs and mount are the options that a benchmark may set.
	mkfs, mount []Option
	// checksum says what protects data; nil means nothing. settings are all options that are set, by name.
	checksum func(settings map[string]string) string
}

// All has every type. A new type gets a file, a line here and a value in the API's enumeration.
func All() []Filesystem {
	return []Filesystem{ext2(), ext3(), ext4(), xfs(), btrfs(), f2fs(), jfs(), reiserfs(), bcachefs()}
}

// Of returns the filesystem of a type; false for an unknown type.
func Of(t v1alpha1.FilesystemType) (Filesystem, bool) {
	for _, f := range All() {
		if f.Type == t {
			return f, true
		}
	}
	return Filesystem{}, false
}

// Tool is the program that makes the filesystem.
func (f Filesystem) Tool() string { return f.make[0] }

// UsableBytes is the least space that a new filesystem in a partition leaves for files.
func (f Filesystem) UsableBytes(partitionBytes int64) int64 {
	return int64(float64(partitionBytes) * f.usable)
}

// InitialBytes is how much the tool writes to a partition, with the usual number of inodes.
func (f Filesystem) InitialBytes(partitionBytes int64) int64 {
	return int64(float64(partitionBytes) * f.initial)
}

// MakeArgv is the command that makes the filesystem on a device, with a UUID or a label derived from it. The error is
// an *OptionError.
func (f Filesystem) MakeArgv(spec v1alpha1.FilesystemSpec, uuid, device string) ([]string, error) {
	if errs := f.CheckMkfs(spec); len(errs) > 0 {
		return nil, errs[0]
	}
	argv := slices.Clone(f.make)
	for _, s := range settingsOf(spec.MkfsOptions) {
		option, err := accept(f.mkfs, s)
		if err != nil {
			return nil, err
		}
		argv = append(argv, option.arguments(s.value)...)
	}
	if f.mark != nil {
		uuid = f.mark(uuid)
	}
	last := len(f.uuid) - 1
	if strings.HasSuffix(f.uuid[last], "=") {
		argv = append(append(argv, f.uuid[:last]...), f.uuid[last]+uuid)
	} else {
		argv = append(append(argv, f.uuid...), uuid)
	}
	return append(argv, device), nil
}

// Checksum says which checksums protect data, with the values of the ZFS property: off, on for the type's default, or
// the name of another algorithm.
func (f Filesystem) Checksum(spec v1alpha1.FilesystemSpec) string {
	if f.checksum == nil {
		return "off"
	}
	settings := map[string]string{}
	for _, s := range settingsOf(slices.Concat(spec.MkfsOptions, spec.MountOptions)) {
		settings[s.name] = s.value
	}
	return f.checksum(settings)
}
