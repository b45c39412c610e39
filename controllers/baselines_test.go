// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"strings"
	"testing"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
)

func TestCheckBaseline(t *testing.T) {
	tests := map[string]struct {
		planned *v1alpha1.Baseline
		volume  *v1alpha1.VolumeSpec
		said    *result.BaselineFacts
		want    string // in the error
	}{
		"a pool": {},
		"as planned": {planned: &v1alpha1.Baseline{Raw: &v1alpha1.RawBaseline{}},
			said: &result.BaselineFacts{Type: "raw"}},
		"a pool in its": {planned: &v1alpha1.Baseline{Raw: &v1alpha1.RawBaseline{}},
			want: `was taken on a pool's own dataset; the plan says "raw"`},
		"not a pool": {said: &result.BaselineFacts{Type: "ext4"},
			want: `was taken on "ext4"; the plan says a pool's own dataset`},
		"on a volume":            {volume: onVolume("ext4"), said: &result.BaselineFacts{Type: "ext4"}},
		"not on a volume":        {volume: onVolume("ext4"), want: `the plan says "ext4"`},
		"a volume, nothing else": {volume: &v1alpha1.VolumeSpec{}},
		"on an array": {
			planned: mirrored(), said: &result.BaselineFacts{Type: "raw", Array: &result.ArrayFacts{Level: "raid1", Disks: 2}},
		},
		"not on an array": {
			planned: mirrored(), said: &result.BaselineFacts{Type: "raw"},
			want: `was taken on no md array; the plan says an md array of level "raid1" with 2 devices`,
		},
		"on an array of one device less": {
			planned: mirrored(), said: &result.BaselineFacts{Type: "raw", Array: &result.ArrayFacts{Level: "raid1", Disks: 1}},
			want: `with 1 devices; the plan says`,
		},
		"on an array of nobody": {
			planned: &v1alpha1.Baseline{Raw: &v1alpha1.RawBaseline{}},
			said:    &result.BaselineFacts{Type: "raw", Array: &result.ArrayFacts{Level: "raid0", Disks: 2}},
			want:    "the plan says no md array",
		},
		"another one": {
			planned: &v1alpha1.Baseline{Filesystem: &v1alpha1.FilesystemBaseline{
				FilesystemSpec: v1alpha1.FilesystemSpec{Type: "xfs"},
			}}, said: &result.BaselineFacts{Type: "ext4"},
			want: `was taken on "ext4"; the plan says "xfs"`,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p, trial := testPlan(), testTrial(0)
			p.Variants = []plan.Variant{{Name: "default", Baseline: tt.planned,
				Dataset: v1alpha1.DatasetSpec{Volume: tt.volume}}}
			for i := range trial.Samples {
				trial.Samples[i].Baseline = tt.said
			}
			err := checkBaseline(p, trial)
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

func mirrored() *v1alpha1.Baseline {
	return &v1alpha1.Baseline{Raw: &v1alpha1.RawBaseline{MD: &v1alpha1.MDArray{Level: v1alpha1.MDRaid1,
		Devices: []string{"d0", "d1"}}}}
}

func onVolume(kind v1alpha1.FilesystemType) *v1alpha1.VolumeSpec {
	return &v1alpha1.VolumeSpec{Filesystem: &v1alpha1.FilesystemSpec{Type: kind}}
}
