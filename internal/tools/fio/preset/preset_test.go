// SPDX-License-Identifier: Apache-2.0

package preset

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"

	"zfsbench.io/operator/api/v1alpha1"
)

func TestExpand(t *testing.T) {
	size := resource.MustParse("1Gi")
	tests := map[string]struct{ in, want v1alpha1.FioWorkload }{
		"all of it": {
			v1alpha1.FioWorkload{Preset: "oltp", Size: size},
			v1alpha1.FioWorkload{
				Preset: "oltp", Size: size, RW: v1alpha1.FioRandRW, RWMixRead: new(int32(70)), BS: "8k", NumJobs: 16,
				IOEngine: "psync", Sync: v1alpha1.FioSyncDsync,
				TimeBased: new(true), Runtime: seconds(60), RampTime: seconds(10),
			},
		},
		"what is set wins": {
			v1alpha1.FioWorkload{Preset: "oltp", Size: size, RWMixRead: new(int32(0)), BS: "16k", NumJobs: 1, IOEngine: "libaio",
				IODepth: 4, Sync: v1alpha1.FioSyncNone, Runtime: seconds(5), RampTime: seconds(1)},
			v1alpha1.FioWorkload{
				Preset: "oltp", Size: size, RW: v1alpha1.FioRandRW, RWMixRead: new(int32(0)), BS: "16k", NumJobs: 1,
				IOEngine: "libaio", IODepth: 4, Sync: v1alpha1.FioSyncNone,
				TimeBased: new(true), Runtime: seconds(5), RampTime: seconds(1),
			},
		},
		"what has no meaning is left out": {
			v1alpha1.FioWorkload{Preset: "oltp", RW: v1alpha1.FioRandRead, TimeBased: new(false)},
			v1alpha1.FioWorkload{Preset: "oltp", RW: v1alpha1.FioRandRead, BS: "8k", NumJobs: 16, IOEngine: "psync",
				Sync: v1alpha1.FioSyncNone, TimeBased: new(false)},
		},
		"no preset":         {v1alpha1.FioWorkload{RW: v1alpha1.FioRead}, v1alpha1.FioWorkload{RW: v1alpha1.FioRead}},
		"an unknown preset": {v1alpha1.FioWorkload{Preset: "fastest"}, v1alpha1.FioWorkload{Preset: "fastest"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := tt.in
			Expand(&got)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			again := *got.DeepCopy()
			Expand(&again)
			if diff := cmp.Diff(got, again); diff != "" {
				t.Errorf("not the same a second time:\n%s", diff)
			}
		})
	}
}

// A workload that is made of a preset must not share memory with it.
func TestExpandCopies(t *testing.T) {
	first := v1alpha1.FioWorkload{Preset: "oltp"}
	Expand(&first)
	*first.RWMixRead, first.Runtime.Duration = 1, 1
	second := v1alpha1.FioWorkload{Preset: "oltp"}
	Expand(&second)
	if *second.RWMixRead != 70 || second.Runtime.Seconds() != usualRuntime {
		t.Errorf("the preset is now %d%% and %v", *second.RWMixRead, second.Runtime)
	}
}
