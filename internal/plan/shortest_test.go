// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/spec/validate"
)

// shortest is the shortest comparison that the API accepts.
const shortest = `
apiVersion: zfsbench.io/v1alpha1
kind: ZfsBenchmark
metadata: {name: shortest, namespace: team-a}
spec:
  nodes: {names: [storage-0]}
  devices: [{name: d0, path: /dev/disk/by-id/wwn-0}, {name: d1, path: /dev/disk/by-id/wwn-1}]
  pool: {devices: [d0, d1]}
  matrix: {axes: [{name: layout, property: layout, propertyValues: [Mirror, Stripe]}]}
  comparison: {reference: layout=Mirror}
  workloads: [{name: database, fio: {preset: oltp}}]
`

// TestShortestBenchmark: defaults make a sound experiment of it. It measures each variant six times on a new pool, in
// random order and with a cold cache, on more data than the ARC holds, and has a time limit.
func TestShortestBenchmark(t *testing.T) {
	b, err := validate.ReadBenchmark([]byte(shortest))
	if err != nil {
		t.Fatal(err)
	}
	b.UID = testUID
	policies := []v1alpha1.BenchmarkDevicePolicy{policy(t, "storage-0", bothDisks)}
	for i := range policies[0].Spec.Devices {
		policies[0].Spec.Devices[i].Size = resource.MustParse("1Ti")
	}
	p, err := Build(Input{Benchmark: b, Node: testNode(), Policies: policies, Defaults: testDefaults()})
	if err != nil {
		t.Fatal(err)
	}
	// The reference begins and ends each repetition.
	if p.Repetitions() != 6 || len(p.Trials) != 6*3 || p.DevicePreparation != v1alpha1.DevicePreparationDiscard {
		t.Errorf("%d repetitions, %d trials, preparation %s", p.Repetitions(), len(p.Trials), p.DevicePreparation)
	}
	w := p.Workloads[0]
	if w.Cache != v1alpha1.CacheCold || w.Fio.RelativeSize != "2xARC" {
		t.Errorf("cache %s, size %s", w.Cache, w.Fio.RelativeSize)
	}
	const arc = 32 << 30
	expanded := Expand(p, MemoryOf(64<<30, arc))
	for _, v := range p.Variants {
		sized := expanded.WorkloadsOn(v)[0].Fio
		if total := sized.Size.Value() * int64(sized.NumJobs); total != 2*arc {
			t.Errorf("%s: %d bytes, want twice the ARC", v.Name, total)
		}
		if space := EstimateSpace(expanded, v); space.Fit != FitYes {
			t.Errorf("%s needs %d of %d bytes", v.Name, space.NeededBytes, space.UsableBytes)
		}
	}
	least, most := LeastDuration(p), EstimateDuration(expanded)
	if least <= 0 || most <= least || p.Timeout() < most {
		t.Errorf("it takes %v to %v, and ends after %v", least, most, p.Timeout())
	}
}
