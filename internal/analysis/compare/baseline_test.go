// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
)

func TestTargetOfBaselines(t *testing.T) {
	chunk := resource.MustParse("64Ki")
	tests := map[string]struct {
		baseline v1alpha1.Baseline
		found    *result.ArrayFacts
		text     string
		want     map[string]string
	}{
		"raw": {
			v1alpha1.Baseline{Raw: &v1alpha1.RawBaseline{Device: "d0"}}, nil, "raw on d0",
			map[string]string{"layout": "d0", "filesystem": "raw", "discarded disks": "d0"},
		},
		"ext4": {
			v1alpha1.Baseline{Filesystem: &v1alpha1.FilesystemBaseline{Device: "d0", FilesystemSpec: v1alpha1.FilesystemSpec{
				Type: "ext4", MkfsOptions: []v1alpha1.FilesystemOption{"blockSize=4096"},
				MountOptions: []v1alpha1.FilesystemOption{"data=journal", "noatime"},
			}}}, nil, "ext4 on d0; mkfs blockSize=4096; mounted with data=journal noatime",
			map[string]string{"layout": "d0", "filesystem": "ext4", "mkfs options": "blockSize=4096",
				"mount options": "data=journal noatime", "discarded disks": "d0"},
		},
		"xfs on an array": {
			v1alpha1.Baseline{Filesystem: &v1alpha1.FilesystemBaseline{FilesystemSpec: v1alpha1.FilesystemSpec{Type: "xfs"},
				MD: &v1alpha1.MDArray{
					Level: v1alpha1.MDRaid5, Devices: []string{"d0", "d1", "d2"}, ChunkSize: &chunk, Bitmap: v1alpha1.MDBitmapInternal,
				}}}, &result.ArrayFacts{Level: "raid5", Disks: 3, ChunkBytes: 64 << 10, Layout: "left-symmetric",
				Bitmap: "internal"},
			"xfs on md raid5 d0 d1 d2 (chunk 64Ki, bitmap Internal)",
			map[string]string{
				"layout": "md raid5 d0 d1 d2 (chunk 64Ki, bitmap Internal)", "filesystem": "xfs",
				"md array": "chunk 64 KiB, left-symmetric, bitmap internal", "discarded disks": "d0",
			},
		},
		"an array": {
			v1alpha1.Baseline{Raw: &v1alpha1.RawBaseline{MD: &v1alpha1.MDArray{Level: v1alpha1.MDRaid1,
				Devices: []string{"d0", "d1"}}}}, &result.ArrayFacts{Level: "raid1", Disks: 2, Bitmap: "none"},
			"raw on md raid1 d0 d1", map[string]string{"layout": "md raid1 d0 d1", "filesystem": "raw",
				"md array": "bitmap none", "discarded disks": "d0"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			trial := result.Trial{PreparedDisks: []result.PreparedDisk{{Name: "d0", Discarded: true}}}
			trial.Samples = []result.Sample{{Baseline: &result.BaselineFacts{Array: tt.found}}}
			if diff := cmp.Diff(tt.want, targetOf(plan.Variant{Baseline: &tt.baseline}, trial)); diff != "" {
				t.Errorf("target (-want +got):\n%s", diff)
			}
			if got := Baseline(tt.baseline); got != tt.text {
				t.Errorf("text %q, want %q", got, tt.text)
			}
		})
	}
}
