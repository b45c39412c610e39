// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e

import (
	"strconv"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
)

// TestCSIKinds measures what else the driver makes in a pool of the benchmark: xfs and btrfs on a zvol, and the zvol
// itself. Each is read cold, for which its pod goes and comes back.
func TestCSIKinds(t *testing.T) {
	csiDriver(t)
	tests := map[string]v1alpha1.PersistentVolumeSpec{
		// mkfs.xfs makes none smaller than 300Mi, mkfs.btrfs none smaller than 109Mi.
		"xfs":   {Size: resource.MustParse("384Mi"), FSType: "xfs"},
		"btrfs": {Size: resource.MustParse("192Mi"), FSType: "btrfs", Sparse: true},
		"block": {Size: resource.MustParse("64Mi"), VolumeMode: v1alpha1.VolumeBlock},
	}
	for name, volume := range tests {
		t.Run(name, func(t *testing.T) {
			b := newBenchmark("csi-"+name).disks(v1alpha1.VdevMirror, 2).property("volblocksize", "32K").property("logbias",
				"throughput").seqWrite().seqRead()
			b.obj.Spec.Dataset.Type, b.obj.Spec.Dataset.PersistentVolume = v1alpha1.DatasetPersistentVolume, &volume
			obj := b.apply(t)
			awaitComplete(t, obj)
			assertVolume(t, readDocuments(t, obj).first(t), volume)
			remove(t, obj)
			awaitNoVolumes(t)
			assertNoClaims(t, obj)
		})
	}
}

// assertVolume holds what was measured against the volume that was claimed: a zvol of that size with the properties,
// and on it the filesystem.
func assertVolume(t *testing.T, trial result.Trial, volume v1alpha1.PersistentVolumeSpec) {
	t.Helper()
	if trial.Failure != nil || trial.Claim == nil || trial.Claim.Driver != csiDriverName || len(trial.Samples) != 2 {
		t.Fatalf("%d samples, claim %+v, failure %+v", len(trial.Samples), trial.Claim, trial.Failure)
	}
	for _, s := range trial.Samples {
		want := map[string]string{"type": "volume", "volsize": strconv.FormatInt(volume.Size.Value(), 10),
			"volblocksize": "32768", "logbias": "throughput"}
		for name, value := range want {
			if got := s.Pool.DatasetProperties[name]; got != value {
				t.Errorf("%s of %s is %q in %s, want %q", name, trial.Claim.Dataset, got, s.Workload, value)
			}
		}
		assertFilesystem(t, s, volume.FSType)
	}
	least := int64(seqBytes * 9 / 10)
	if volume.VolumeMode == v1alpha1.VolumeBlock {
		least = seqBytes / 5 // the node's udev looks at a device that appears, whereupon OpenZFS reads far ahead: docs/csi.md
	}
	if wrote, read := trial.Samples[0], trial.Samples[1]; wrote.DeviceWrittenBytes < seqBytes*9/10 ||
		read.DeviceReadBytes < least {
		t.Errorf("%d bytes reached the disks and %d came from them, want %d and at least %d",
			wrote.DeviceWrittenBytes, read.DeviceReadBytes, seqBytes, least)
	}
}

// assertFilesystem wants the sample to tell of this filesystem, mounted with an option that no other one has; of none
// on a block device.
func assertFilesystem(t *testing.T, s result.Sample, fsType v1alpha1.PersistentVolumeFSType) {
	t.Helper()
	if fsType == "" {
		if s.Baseline != nil {
			t.Errorf("%s ran on %+v, want the zvol itself", s.Workload, *s.Baseline)
		}
		return
	}
	option := map[v1alpha1.PersistentVolumeFSType]string{"xfs": "inode64", "btrfs": "subvolid="}[fsType]
	if s.Baseline == nil || s.Baseline.Type != string(fsType) || !strings.Contains(s.Baseline.MountOptions, option) {
		t.Errorf("%s ran on %+v, want %s mounted with %s", s.Workload, s.Baseline, fsType, option)
	}
}
