// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/api/v1alpha1"
)

func TestRuns(t *testing.T) {
	p := Plan{Workloads: []v1alpha1.Workload{
		{Name: "write", Cache: v1alpha1.CacheCold, Fio: &v1alpha1.FioWorkload{Passes: 1}},
		{Name: "read", Cache: v1alpha1.CacheCold, Fio: &v1alpha1.FioWorkload{Passes: 3}},
		{Name: "tree", Cache: v1alpha1.CacheWarm, Tree: &v1alpha1.TreeWorkload{}},
		{Name: "steady", Fio: &v1alpha1.FioWorkload{SteadyState: &v1alpha1.FioSteadyState{}}},
	}}
	var got []string
	for _, r := range p.Runs() {
		got = append(got, fmt.Sprintf("%s %d %s later=%t repeated=%t", r.Name(), r.Pass, r.Cache(), r.IsLater(),
			r.IsRepeated()))
		if w := r.Single(); w.Name != r.Workload.Name || r.Pass > 0 && w.Passes() != 1 {
			t.Errorf("single %+v", w)
		}
	}
	want := []string{
		"write 0 Cold later=false repeated=false", "read.pass1 1 Cold later=false repeated=false", "read.pass2 2 Warm " +
			"later=true repeated=false",
		"read.pass3 3 Warm later=true repeated=false", "tree 0 Warm later=false repeated=false", "steady 0 Cold " +
			"later=false repeated=true",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	round := Run{Workload: p.Workloads[3], Round: 2}
	if round.Name() != "steady.round2" || round.Cache() != v1alpha1.CacheWarm || round.Single().Fio.SteadyState != nil ||
		p.Workloads[3].Fio.SteadyState == nil {
		t.Errorf("%+v", round)
	}
}

const recordsizes = `
nodes: {names: [storage-0]}
devices: [{name: f0, file: {size: 1Gi}}, {name: f1, file: {size: 1Gi}}]
pool: {vdevs: [{type: mirror, devices: [f0, f1]}]}
matrix: {axes: [{name: recordsize, property: recordsize, propertyValues: [128K, 4K, 1M]}], include: [{name: plain}]}
workloads:
- {name: a, fio: {rw: randread, bs: recordsize, size: 64Mi}}
- {name: b, fio: {rw: read, bs: 16k, size: 64Mi}}
- {name: c, fio: {rw: read, size: 64Mi, jobs: [{name: x, bs: recordsize}, {name: y}]}}
`

// Where a block size is recordsize, each variant has its own; estimates are made for the smallest, and the plan keeps
// what was asked for.
func TestWorkloadsOn(t *testing.T) {
	p := built(t, recordsizes)
	blocks := func(workloads []v1alpha1.Workload) string {
		return fmt.Sprint(workloads[0].Fio.BS, " ", workloads[1].Fio.BS, " ", workloads[2].Fio.Jobs[0].BS, " ",
			workloads[2].Fio.BS)
	}
	got := map[string]string{"plan": blocks(p.Workloads), "slowest": blocks(Expand(p, nil).slowest())}
	for _, v := range p.Variants {
		got[v.Name] = blocks(Expand(p, nil).WorkloadsOn(v))
	}
	want := map[string]string{
		"plan": "recordsize 16k recordsize 4k", "slowest": "4K 16k 4K 4k", "recordsize=128K": "128K 16k 128K 4k",
		"recordsize=4K": "4K 16k 4K 4k",
		"recordsize=1M": "1M 16k 1M 4k", "plain": "128K 16k 128K 4k",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("blocks (-want +got):\n%s", diff)
	}
}

// Passes and rounds take their time, and are laid out once; a tool's deadline is for one of them.
func TestTimingOfPasses(t *testing.T) {
	const fixed = 2 * time.Minute
	tests := map[string]struct {
		job             string
		estimate, least time.Duration
	}{
		"one":        {`rw: read, bs: 1m, size: 160Mi`, 30*time.Second + 10*time.Second + 10*time.Second, 0},
		"ten passes": {`rw: read, bs: 1m, size: 160Mi, passes: 10`, 10*30*time.Second + 10*time.Second + 100*time.Second, 0},
		"timed": {`rw: write, bs: 1m, size: 160Mi, runtime: 60s, timeBased: true, passes: 3`,
			3*30*time.Second + 3*time.Minute, 3 * time.Minute},
		"rounds": {`rw: write, bs: 1m, size: 160Mi, runtime: 60s, timeBased: true, steadyState: {}`,
			25*30*time.Second + 25*time.Minute, 5 * time.Minute},
		"all rounds": {`rw: write, bs: 1m, size: 160Mi, runtime: 60s, timeBased: true, steadyState: {rounds: 10, then: GoesOn}`, 10*30*time.Second + 10*time.Minute, 10 * time.Minute},
		"mixed sizes": {`rw: randwrite, bsSplit: [{bs: 4k, percent: 50}, {bs: 12k, percent: 50}], size: 48Mi`,
			30*time.Second + 3*time.Second + 61440*time.Millisecond, 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p := fioPlan(t, tt.job, 1)
			if got := EstimateTrialDuration(Expand(p, nil)); got != fixed+tt.estimate {
				t.Errorf("EstimateTrialDuration = %v; want %v", got, fixed+tt.estimate)
			}
			if got := LeastDuration(p); got != tt.least {
				t.Errorf("LeastDuration = %v; want %v", got, tt.least)
			}
			if got := ToolDeadline(Expand(p, nil), Run{Workload: p.Workloads[0], Round: 1}.Single()); got != 15*time.Minute {
				t.Errorf("ToolDeadline = %v", got)
			}
		})
	}
}
