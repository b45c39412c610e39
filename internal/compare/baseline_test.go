// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
)

func TestTargetOfBaselines(t *testing.T) {
	tests := map[string]struct {
		baseline v1alpha1.Baseline
		text     string
		want     map[string]string
	}{
		"raw": {
			v1alpha1.Baseline{Raw: &v1alpha1.RawBaseline{Device: "d0"}}, "raw on d0",
			map[string]string{"layout": "d0", "filesystem": "raw", "discarded disks": "d0"},
		},
		"ext4": {
			v1alpha1.Baseline{Filesystem: &v1alpha1.FilesystemBaseline{Device: "d0", FilesystemSpec: v1alpha1.FilesystemSpec{
				Type: "ext4", MkfsOptions: []v1alpha1.FilesystemOption{"blockSize=4096"}, MountOptions: []v1alpha1.FilesystemOption{"data=journal", "noatime"},
			}}}, "ext4 on d0; mkfs blockSize=4096; mounted with data=journal noatime",
			map[string]string{"layout": "d0", "filesystem": "ext4", "mkfs options": "blockSize=4096", "mount options": "data=journal noatime", "discarded disks": "d0"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			trial := result.Trial{PreparedDisks: []result.PreparedDisk{{Name: "d0", Discarded: true}}}
			if diff := cmp.Diff(tt.want, targetOf(plan.Variant{Baseline: &tt.baseline}, trial)); diff != "" {
				t.Errorf("target (-want +got):\n%s", diff)
			}
			if got := Baseline(tt.baseline); got != tt.text {
				t.Errorf("text %q, want %q", got, tt.text)
			}
		})
	}
}
