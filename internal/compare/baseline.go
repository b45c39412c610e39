// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"strings"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
)

// baselineTarget is what a baseline runs on.
func baselineTarget(b v1alpha1.Baseline, trial result.Trial) map[string]string {
	target := map[string]string{"layout": b.Device(), "filesystem": b.Kind()}
	if b.Filesystem != nil {
		if options := joined(b.Filesystem.MkfsOptions); options != "" {
			target["mkfs options"] = options
		}
		if options := joined(b.Filesystem.MountOptions); options != "" {
			target["mount options"] = options
		}
	}
	if disks := discarded(trial); disks != "" {
		target["discarded disks"] = disks
	}
	for name, value := range target {
		target[name] = clip(value, maxText)
	}
	return target
}

// Baseline says in words what a baseline is, for example "ext4 on d0; mkfs blockSize=4096; mounted with data=journal".
func Baseline(b v1alpha1.Baseline) string {
	text := b.Kind() + " on " + b.Device()
	if b.Filesystem != nil {
		text += options(b.Filesystem.FilesystemSpec)
	}
	return text
}

// Filesystem says in words what a filesystem is, for example "ext4; mounted with data=journal".
func Filesystem(f v1alpha1.FilesystemSpec) string { return string(f.Type) + options(f) }

func options(f v1alpha1.FilesystemSpec) string {
	text := ""
	if options := joined(f.MkfsOptions); options != "" {
		text += "; mkfs " + options
	}
	if options := joined(f.MountOptions); options != "" {
		text += "; mounted with " + options
	}
	return text
}

func joined(options []v1alpha1.FilesystemOption) string {
	words := make([]string, 0, len(options))
	for _, o := range options {
		words = append(words, string(o))
	}
	return strings.Join(words, " ")
}
