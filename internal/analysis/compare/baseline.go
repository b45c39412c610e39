// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"strings"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/text/human"
)

// baselineTarget is what a baseline runs on.
func baselineTarget(b v1alpha1.Baseline, trial result.Trial) map[string]string {
	target := map[string]string{"layout": placeOf(b), "filesystem": b.Kind()}
	if facts := arrayOf(trial); facts != nil {
		target["md array"] = arrayFacts(*facts)
	}
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

// arrayOf is the md array that a trial found, or nil.
func arrayOf(trial result.Trial) *result.ArrayFacts {
	if len(trial.Samples) == 0 || trial.Samples[0].Baseline == nil {
		return nil
	}
	return trial.Samples[0].Baseline.Array
}

// arrayFacts describes the actual array in words, except for its level and devices: other versions of mdadm and the
// kernel may have other defaults.
func arrayFacts(a result.ArrayFacts) string {
	var words []string
	if a.ChunkBytes > 0 {
		words = append(words, "chunk "+human.Bytes(float64(a.ChunkBytes)))
	}
	if a.Layout != "" {
		words = append(words, a.Layout)
	}
	return strings.Join(append(words, "bitmap "+a.Bitmap), ", ")
}

// placeOf describes the place of a baseline in words, for example "d0" and "md raid5 d0 d1 d2 (chunk 64Ki, bitmap
// Internal)".
func placeOf(b v1alpha1.Baseline) string {
	if claim := b.PersistentVolume; claim != nil {
		text := "StorageClass " + claim.StorageClassName + " (" + claim.Size.String()
		if claim.VolumeMode == v1alpha1.VolumeBlock {
			text += ", block"
		}
		return text + ")"
	}
	array := b.Array()
	if array == nil {
		return b.Device()
	}
	text := strings.Join(append([]string{"md", string(array.Level)}, array.Devices...), " ")
	var options []string
	if array.ChunkSize != nil {
		options = append(options, "chunk "+array.ChunkSize.String())
	}
	if array.Bitmap != "" {
		options = append(options, "bitmap "+string(array.Bitmap))
	}
	if len(options) > 0 {
		text += " (" + strings.Join(options, ", ") + ")"
	}
	return text
}

// Baseline describes a baseline in words, for example "ext4 on d0; mkfs blockSize=4096; mounted with data=journal".
func Baseline(b v1alpha1.Baseline) string {
	text := b.Kind() + " on " + placeOf(b)
	if b.Filesystem != nil {
		text += options(b.Filesystem.FilesystemSpec)
	}
	return text
}

// Filesystem describes a filesystem in words, for example "ext4; mounted with data=journal".
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
