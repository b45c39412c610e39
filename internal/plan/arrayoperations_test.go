// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/api/v1alpha1"
)

// What workloads put in the place of others belongs to what a variant uses: to an md array as to a pool, and to no
// baseline on one disk.
func TestPlacesOfReplacements(t *testing.T) {
	p := Plan{Workloads: []v1alpha1.Workload{{Name: "rebuild",
		Pool: &v1alpha1.PoolOperation{Replace: &v1alpha1.ReplaceOperation{Device: "d0", With: "d2"}}}}}
	onArray := Variant{Baseline: &v1alpha1.Baseline{
		Raw: &v1alpha1.RawBaseline{MD: &v1alpha1.MDArray{Level: v1alpha1.MDRaid1, Devices: []string{"d0", "d1"}}},
	}}
	onDisk := Variant{Baseline: &v1alpha1.Baseline{Raw: &v1alpha1.RawBaseline{Device: "d0"}}}
	pool := Variant{Pool: v1alpha1.PoolSpec{Vdevs: []v1alpha1.Vdev{{Type: v1alpha1.VdevMirror,
		Devices: []string{"d0", "d1"}}}}}
	for name, tt := range map[string]struct {
		variant Variant
		want    []string
	}{
		"an array": {onArray, []string{"d0", "d1", "d2"}}, "a pool": {pool, []string{"d0", "d1", "d2"}},
		"a disk": {onDisk, []string{"d0"}},
	} {
		if diff := cmp.Diff(tt.want, p.PlacesOf(tt.variant)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// Filling takes its part of a filesystem, whatever workloads have written before.
func TestSpaceOfAFilledFilesystem(t *testing.T) {
	v := Variant{Name: "ext4", Baseline: &v1alpha1.Baseline{Filesystem: &v1alpha1.FilesystemBaseline{Device: "d0",
		FilesystemSpec: v1alpha1.FilesystemSpec{Type: "ext4"}}}}
	p := Plan{
		Variants: []Variant{v}, Devices: []Device{{Name: "d0", Path: "/dev/disk/by-id/d0", SizeBytes: 1 << 30}},
		Workloads: []v1alpha1.Workload{{Name: "fill",
			Pool: &v1alpha1.PoolOperation{Fill: &v1alpha1.FillOperation{Percent: 50}}}},
	}
	got := EstimateSpace(Expand(p, nil), v)
	if half := got.UsableBytes / 2; got.Fit != FitYes || got.NeededBytes < half || got.NeededBytes > half+metadataBytes {
		t.Errorf("space %+v", got)
	}
}
