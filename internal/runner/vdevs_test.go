// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
)

// The fake pool has done a request more of each kind at every reading, each of them of 2 to 4 ns.
func TestVdevsOfATrial(t *testing.T) {
	one := func() *result.Waits {
		return &result.Waits{Requests: 1, MeanNanoseconds: 3, P50AtMostNanoseconds: 3, P95AtMostNanoseconds: 3,
			P99AtMostNanoseconds: 3}
	}
	all := []result.Vdev{
		{Name: "pool", Read: one(), Write: one(), DiskRead: one(), DiskWrite: one()},
		{Name: "d0", Device: true, Read: one(), Write: one(), DiskRead: one(), DiskWrite: one()},
		{Name: "d1", Device: true, Read: one(), Write: one(), DiskRead: one(), DiskWrite: one()},
		{Name: "f0", Device: true, Read: one(), Write: one(), DiskRead: one(), DiskWrite: one()},
	}
	tests := map[string]struct {
		failing     int
		write, read []result.Vdev
	}{
		"all is read":                {0, all, all},
		"the first is not":           {1, nil, all},
		"the second is not":          {2, nil, all},
		"the next workload's is not": {3, all, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			readings := 0
			w.fault = func(_ int, call string) fault {
				if call == "zpool iostat zfsbench-0c7c9a41-0" {
					if readings++; readings == test.failing {
						return fails
					}
				}
				return fine
			}
			p := testPlan(w)
			p.Trials = p.Trials[:1]
			if got, _ := w.execute(t.Context(), p); got.Progress.State != result.StateComplete || readings != 4 {
				t.Fatalf("%d readings, outcome %+v", readings, got)
			}
			samples := w.trials[0].Samples
			if diff := cmp.Diff([][]result.Vdev{test.write, test.read},
				[][]result.Vdev{samples[0].Vdevs, samples[1].Vdevs}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// What came after an import cannot be subtracted from what came before it, whatever the numbers.
func TestNoVdevsOfAReimport(t *testing.T) {
	w := newWorld(t)
	p := testPlan(w)
	p.Trials = p.Trials[:1]
	p.Workloads[1] = v1alpha1.Workload{Name: "again", Cache: v1alpha1.CacheWarm,
		Pool: &v1alpha1.PoolOperation{Reimport: &v1alpha1.ReimportOperation{}}}
	if got, _ := w.execute(t.Context(), p); got.Progress.State != result.StateComplete {
		t.Fatalf("outcome %+v, failure %+v", got, got.Progress.Failure)
	}
	if s := w.trials[0].Samples; len(s[0].Vdevs) != 4 || s[1].Vdevs != nil {
		t.Errorf("%d vdevs, and %+v", len(s[0].Vdevs), s[1].Vdevs)
	}
}
