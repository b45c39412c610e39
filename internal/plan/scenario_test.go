// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/api/v1alpha1"
)

func TestEstimateOperation(t *testing.T) {
	p := Plan{Devices: []Device{{Name: "d0", SizeBytes: 16 << 30}, {Name: "f0", FileSizeBytes: 1 << 30}}}
	const whole = 1024 * time.Second // 16 GiB at 16 MiB/s
	for name, test := range map[string]struct {
		operation v1alpha1.PoolOperation
		want      time.Duration
	}{
		"scrub":     {v1alpha1.PoolOperation{Scrub: &v1alpha1.ScrubOperation{}}, whole},
		"replace":   {v1alpha1.PoolOperation{Replace: &v1alpha1.ReplaceOperation{}}, whole},
		"snapshots": {v1alpha1.PoolOperation{Snapshot: &v1alpha1.SnapshotOperation{Count: 100}}, 20 * time.Second},
		"offline":   {v1alpha1.PoolOperation{Offline: &v1alpha1.OfflineOperation{}}, 0},
	} {
		w := v1alpha1.Workload{Name: "a", Pool: &test.operation}
		if diff := cmp.Diff(test.want, estimate(Expand(p, nil), w)); diff != "" {
			t.Errorf("%s: estimate (-want +got):\n%s", name, diff)
		}
	}
}

// A device that only takes the place of another is checked and prepared with the rest, for variants with a pool.
func TestDevicesOfWithReplacements(t *testing.T) {
	p := Plan{
		Devices: []Device{{Name: "d0", SizeBytes: 1}, {Name: "d1", SizeBytes: 1}, {Name: "d2", SizeBytes: 1},
			{Name: "d3", SizeBytes: 1}},
		Workloads: []v1alpha1.Workload{{Name: "a", Pool: &v1alpha1.PoolOperation{
			Replace: &v1alpha1.ReplaceOperation{Device: "d1", With: "d2"},
		}}},
	}
	v := Variant{Pool: v1alpha1.PoolSpec{Vdevs: []v1alpha1.Vdev{{Type: v1alpha1.VdevMirror,
		Devices: []string{"d0", "d1"}}}}}
	var names []string
	for _, d := range p.DevicesOf(v) {
		names = append(names, d.Name)
	}
	if want := []string{"d0", "d1", "d2"}; !slices.Equal(names, want) {
		t.Errorf("devices %q, want %q", names, want)
	}
}

func TestReplacementsThatAreSmaller(t *testing.T) {
	workloads := []v1alpha1.Workload{{Name: "a",
		Pool: &v1alpha1.PoolOperation{Replace: &v1alpha1.ReplaceOperation{Device: "d1", With: "d2"}}}}
	if err := checkReplacements(workloads, map[string]int64{"d1": 2, "d2": 1}); err == nil {
		t.Error("a smaller disk is taken")
	}
	if err := checkReplacements(workloads, map[string]int64{"d1": 2, "d2": 2}); err != nil {
		t.Error(err)
	}
}
