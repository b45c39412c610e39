// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"

	"zfsbench.io/operator/api/v1alpha1"
)

// A relative size is divided between the processes, in whole MiB and blocks; the ARC is the one that the variant sets.
func TestRelativeSizes(t *testing.T) {
	const gib = int64(1) << 30
	volume := v1alpha1.DatasetSpec{Type: v1alpha1.DatasetVolume,
		Volume: &v1alpha1.VolumeSpec{Size: resource.MustParse("512Mi")}}
	known := &Memory{Bytes: 4 * gib, ARCBytes: 2 * gib}
	tests := map[string]struct {
		job     v1alpha1.FioWorkload
		memory  *Memory
		variant func(*Variant)
		want    int64
	}{
		"memory":           {v1alpha1.FioWorkload{RelativeSize: "4xRAM"}, known, nil, 16 * gib},
		"memory, ten jobs": {v1alpha1.FioWorkload{RelativeSize: "4xRAM", NumJobs: 10}, known, nil, 1638 << 20},
		"the ARC":          {v1alpha1.FioWorkload{RelativeSize: "1.5xARC"}, known, nil, 3 * gib},
		"an ARC of its own": {v1alpha1.FioWorkload{RelativeSize: "2xARC"}, known, func(v *Variant) {
			v.ModuleParameters = v1alpha1.ModuleParameters{"zfs_arc_max": "268435456"}
		}, gib / 2},
		"a volume": {v1alpha1.FioWorkload{RelativeSize: "50%Pool"}, known, func(v *Variant) {
			v.Dataset = volume
		}, 256 << 20},
		"large blocks": {v1alpha1.FioWorkload{RelativeSize: "50%Pool", BS: "48M"}, known, func(v *Variant) {
			v.Dataset = volume
		}, 240 << 20},
		"odd blocks": {v1alpha1.FioWorkload{RelativeSize: "50%Pool", BS: "3k"}, known, func(v *Variant) {
			v.Dataset = volume
		}, 255 << 20},
		"at least one block": {v1alpha1.FioWorkload{RelativeSize: "1%Pool", NumJobs: 1000}, known, func(v *Variant) {
			v.Dataset = volume
		}, 1 << 20},
		"memory not known yet": {v1alpha1.FioWorkload{RelativeSize: "4xRAM"}, nil, func(v *Variant) {
			v.Dataset = volume
		}, 512 << 20},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p := fioPlan(t, `rw: write, bs: 1m, size: 160Mi`, 1)
			p.Workloads = []v1alpha1.Workload{{Name: "a", Fio: &tt.job}}
			if tt.variant != nil {
				tt.variant(&p.Variants[0])
			}
			if got := Expand(p, tt.memory).WorkloadsOn(p.Variants[0])[0].Fio.Size.Value(); got != tt.want {
				t.Errorf("%d bytes, want %d", got, tt.want)
			}
			if !p.Workloads[0].Fio.Size.IsZero() {
				t.Error("the plan itself was changed")
			}
		})
	}
}

// Half of a pool has room in it, all that is laid out is estimated, and before the memory is known the estimated time
// is for a full pool.
func TestRelativeSizesAreEstimated(t *testing.T) {
	p := fioPlan(t, `rw: write, bs: 1m, relativeSize: 50%Pool`, 1)
	room := RoomOf(p, p.Variants[0])
	if space := EstimateSpace(Expand(p, nil), p.Variants[0]); space.Fit != FitYes || space.UsableBytes != room ||
		space.NeededBytes < room/2-(1<<20) || space.NeededBytes > room/2+(32<<20) {
		t.Errorf("%+v of %d", space, room)
	}
	half := EstimateTrialDuration(Expand(p, nil))
	p = fioPlan(t, `rw: write, bs: 1m, relativeSize: 4xRAM`, 1)
	if whole := EstimateTrialDuration(Expand(p, nil)); whole <= half {
		t.Errorf("a full pool takes %v, half of it %v", whole, half)
	}
	if space := EstimateSpace(Expand(p, &Memory{Bytes: 64 << 30, ARCBytes: 32 << 30}), p.Variants[0]); space.Fit != FitNo {
		t.Errorf("256 GiB in a pool of 1 GiB: %+v", space)
	}
}

// A relative size counts against the quota of the dataset, which may be less than the room of the pool.
func TestRelativeSizeInQuota(t *testing.T) {
	p := fioPlan(t, `rw: write, bs: 1m, relativeSize: 0.5xRAM`, 1)
	p.Variants[0].Dataset.Quota = &v1alpha1.QuotaSpec{Size: resource.MustParse("128Mi"), Sparse: true}
	for bytes, want := range map[int64]Fit{64 << 20: FitYes, 512 << 20: FitNo} {
		if got := EstimateSpace(Expand(p, &Memory{Bytes: bytes, ARCBytes: bytes}), p.Variants[0]); got.Fit != want {
			t.Errorf("half of %d bytes in a quota of 128 MiB: %+v", bytes, got)
		}
	}
}
