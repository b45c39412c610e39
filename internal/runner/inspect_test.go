// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
)

// inspectedPlan asks for all inspections after the second of two workloads on a dataset with children.
func inspectedPlan(w *world) plan.Plan {
	p := childrenPlan(w)
	p.Workloads[1].Inspect = []v1alpha1.Inspection{v1alpha1.InspectFragmentation, v1alpha1.InspectSimulatedDedup}
	return p
}

// TestInspection: zdb looks at the pool after the workload was measured, its pool was synced and found undisturbed, and
// before the dataset goes.
func TestInspection(t *testing.T) {
	w := newWorld(t)
	if got, _ := w.execute(t.Context(), inspectedPlan(w)); got.Progress.State != result.StateComplete {
		t.Fatalf("outcome %+v, failure %+v", got, got.Progress.Failure)
	}
	const pool = "zfsbench-0c7c9a41-0"
	zdb := slices.IndexFunc(w.transcript, func(line string) bool { return strings.HasPrefix(line, "zdb ") })
	want := []string{
		"zpool status " + pool, "zdb -ddddd " + pool + "/bench/db", "zdb -ddddd " + pool + "/bench/log",
		"zdb -ddddd " + pool + "/bench", "zdb -S " + pool, "zpool list",
	}
	if diff := cmp.Diff(want, w.transcript[zdb-1:zdb+5]); diff != "" {
		t.Errorf("around the inspection (-want +got):\n%s", diff)
	}
	samples := w.trials[0].Samples
	if samples[0].Inspected != nil {
		t.Errorf("inspected although nobody asked: %+v", samples[0].Inspected)
	}
	found := &result.Inspected{
		Allocation:     &result.Allocation{Files: 3, Blocks: 9, Bytes: 9 << 12, Neighbours: 6, Gaps: 3},
		SimulatedDedup: &result.SimulatedDedup{Dedup: 2, Compress: 1, Copies: 1, Combined: 2},
	}
	if diff := cmp.Diff(found, samples[1].Inspected); diff != "" {
		t.Errorf("inspected (-want +got):\n%s", diff)
	}
}

// TestInspectionThatFails: what zdb cannot find out is missing with its reason, and the trial counts.
func TestInspectionThatFails(t *testing.T) {
	for name, test := range map[string]struct {
		change func(w *world)
		want   string
	}{
		"an error": {func(w *world) { w.zdb = errors.New("zdb: can't open:\n checksum error") },
			"zdb: can't open: checksum error"},
		"too long": {func(w *world) { w.hangs, w.stalls = "zdb -ddddd", true }, "zdb had not ended after 1s and was killed"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			test.change(w)
			p := inspectedPlan(w)
			p.Workloads[1].Inspect = p.Workloads[1].Inspect[:1]
			if got, _ := w.execute(t.Context(), p); got.Progress.State != result.StateComplete {
				t.Fatalf("outcome %+v, failure %+v", got, got.Progress.Failure)
			}
			want := &result.Inspected{Missing: map[string]string{"Fragmentation": test.want}}
			if diff := cmp.Diff(want, w.trials[0].Samples[1].Inspected); diff != "" {
				t.Errorf("inspected (-want +got):\n%s", diff)
			}
		})
	}
}

// testInspectionDeadline is long for a fake.
const testInspectionDeadline = time.Second
