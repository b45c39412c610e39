// SPDX-License-Identifier: Apache-2.0

package recommend

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/analysis/experiment"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
)

// performance is how a variant writes: IOPS and latency in nanoseconds.
type performance struct{ iops, latency float64 }

// measured is a node that has run variants of one stripe of two disks, so many repetitions, each of which shares what
// slows it down.
func measured(name string, repetitions int, variants []plan.Variant, is map[string]performance) experiment.NodeTrials {
	n := experiment.NodeTrials{Plan: plan.Plan{Node: plan.Node{Name: name},
		Workloads: []v1alpha1.Workload{{Name: "w", Fio: &v1alpha1.FioWorkload{RW: v1alpha1.FioWrite}}}, Variants: variants}}
	for repetition := 1; repetition <= repetitions; repetition++ {
		drift := 1 + 0.1*float64(repetition)
		for _, v := range variants {
			t := plan.Trial{Index: len(n.Trials), Variant: v.Name, Repetition: repetition}
			n.Plan.Trials = append(n.Plan.Trials, t)
			trial := result.Trial{Index: t.Index, Variant: v.Name, Repetition: repetition}
			if p, there := is[v.Name]; there {
				trial.Samples = []result.Sample{{Workload: "w", Write: &result.Operation{IOPS: p.iops * drift,
					Latency: result.Latency{MeanNanoseconds: p.latency / drift}}}}
			} else {
				trial.Failure = &result.Failure{Reason: "WorkloadFailed"}
			}
			n.Trials = append(n.Trials, trial)
		}
	}
	return n
}

func onPool(name string, vdev v1alpha1.VdevType, properties v1alpha1.DatasetProperties) plan.Variant {
	return plan.Variant{Name: name, Pool: v1alpha1.PoolSpec{Vdevs: []v1alpha1.Vdev{{Type: vdev,
		Devices: []string{"d0", "d1"}}}}, Dataset: v1alpha1.DatasetSpec{Properties: properties}}
}

func TestOf(t *testing.T) {
	variants := []plan.Variant{
		onPool("stripe", v1alpha1.VdevStripe, nil), onPool("mirror", v1alpha1.VdevMirror, nil),
		onPool("unsafe", v1alpha1.VdevMirror, v1alpha1.DatasetProperties{"sync": "disabled"}),
		onPool("unchecked", v1alpha1.VdevMirror, v1alpha1.DatasetProperties{"checksum": "off"}),
		onPool("broken", v1alpha1.VdevMirror, nil), {Name: "ext4", Baseline: &v1alpha1.Baseline{}},
	}
	// The mirror has twice the latency of the stripe, and four times the IOPS of it.
	is := map[string]performance{"stripe": {1000, 1e6}, "mirror": {4000, 2e6}, "unsafe": {9000, 1e5},
		"unchecked": {5000, 1e6}, "ext4": {1e6, 1}}
	iops, latency := v1alpha1.RecommendGoal{Workload: "w", Metric: "writeIOPS", Weight: 1},
		v1alpha1.RecommendGoal{Workload: "w", Metric: "writeLatencyMean", Weight: 1}
	heavy := latency
	heavy.Weight = 3
	tests := map[string]struct {
		spec v1alpha1.RecommendSpec
		want string // candidates with their scores
	}{
		"IOPS":    {v1alpha1.RecommendSpec{Goals: []v1alpha1.RecommendGoal{iops}}, "mirror 1.000, stripe 0.250"},
		"latency": {v1alpha1.RecommendSpec{Goals: []v1alpha1.RecommendGoal{latency}}, "stripe 1.000, mirror 0.500"},
		"both":    {v1alpha1.RecommendSpec{Goals: []v1alpha1.RecommendGoal{iops, latency}}, "mirror 1.000, stripe 0.707"},
		"latency thrice": {v1alpha1.RecommendSpec{Goals: []v1alpha1.RecommendGoal{iops, heavy}},
			"stripe 1.000, mirror 0.841"},
		"redundancy": {v1alpha1.RecommendSpec{Goals: []v1alpha1.RecommendGoal{latency}, MinRedundancy: 1}, "mirror 1.000"},
		"data may be lost": {v1alpha1.RecommendSpec{Goals: []v1alpha1.RecommendGoal{iops}, AcceptDataLoss: true},
			"unsafe 1.000, unchecked 0.556, mirror 0.444, stripe 0.111"},
		"IOPS and a bound": {v1alpha1.RecommendSpec{Goals: []v1alpha1.RecommendGoal{iops},
			Requirements: []v1alpha1.RecommendRequirement{{Workload: "w", Metric: "writeLatencyMean", AtMost: "1ms"}}},
			"stripe 1.000"},
		"a bound for nobody": {v1alpha1.RecommendSpec{Goals: []v1alpha1.RecommendGoal{iops},
			Requirements: []v1alpha1.RecommendRequirement{{Workload: "w", Metric: "writeIOPS", AtLeast: "1M"}}}, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := Of(tt.spec, []experiment.NodeTrials{measured("n0", 6, variants, is), measured("n1", 6, variants, is)})
			if err != nil {
				t.Fatal(err)
			}
			var candidates []string
			for _, c := range got.Candidates {
				candidates = append(candidates, fmt.Sprintf("%s %.3f", c.Variant.Name, c.Score))
			}
			if text := strings.Join(candidates, ", "); text != tt.want || (got.Problem == "") != (text != "") {
				t.Errorf("%q, problem %q; want %q", text, got.Problem, tt.want)
			}
			if len(got.Candidates) > 1 && (got.Lead.N != 12 || math.Abs(got.Lead.Ratio*got.Candidates[1].Score-1) > 1e-9) {
				t.Errorf("lead %+v", got.Lead)
			}
			if len(got.Candidates)+len(got.Rejected) != 5 {
				t.Errorf("rejected: %+v", got.Rejected)
			}
		})
	}
}

func TestRejected(t *testing.T) {
	variants := []plan.Variant{
		onPool("stripe", v1alpha1.VdevStripe, nil), onPool("unsafe", v1alpha1.VdevMirror,
			v1alpha1.DatasetProperties{"sync": "disabled"}),
		onPool("slow", v1alpha1.VdevMirror, nil), onPool("broken", v1alpha1.VdevMirror, nil),
	}
	n := measured("n0", 6, variants, map[string]performance{"stripe": {1000, 1e6}, "unsafe": {9000, 1e5},
		"slow": {100, 1e7}})
	spec := v1alpha1.RecommendSpec{
		Goals:         []v1alpha1.RecommendGoal{{Workload: "w", Metric: "writeIOPS", Weight: 1}},
		MinRedundancy: 1,
		Requirements:  []v1alpha1.RecommendRequirement{{Workload: "w", Metric: "writeLatencyMean", AtMost: "5ms"}},
	}
	got, err := Of(spec, []experiment.NodeTrials{n})
	if err != nil {
		t.Fatal(err)
	}
	want := []Rejected{
		{"stripe", "its redundancy is 0, required is at least 1"},
		{"unsafe", "sync=disabled loses what was written last when the node fails; acceptDataLoss takes it nevertheless"},
		{"slow", "writeLatencyMean of w on n0 is 7.47 ms, required is at most 5ms"},
		{"broken", "writeLatencyMean of w was not measured on n0"},
	}
	if diff := cmp.Diff(want, got.Rejected); diff != "" || got.Problem != "No variant can be recommended." {
		t.Errorf("problem %q, (-want +got):\n%s", got.Problem, diff)
	}
}

// A repetition in which a candidate failed judges none of them.
func TestOnlyWholeRepetitionsCount(t *testing.T) {
	variants := []plan.Variant{onPool("a", v1alpha1.VdevMirror, nil), onPool("b", v1alpha1.VdevMirror, nil)}
	n := measured("n0", 3, variants, map[string]performance{"a": {1000, 1e6}, "b": {2000, 1e6}})
	n.Trials[0].Samples[0].Write.IOPS = 1e9 // of a, in the repetition in which b failed
	n.Trials[1].Samples, n.Trials[1].Failure = nil, &result.Failure{Reason: "WorkloadFailed"}
	got, err := Of(v1alpha1.RecommendSpec{Goals: []v1alpha1.RecommendGoal{{Workload: "w", Metric: "writeIOPS",
		Weight: 1}}}, []experiment.NodeTrials{n})
	if err != nil || len(got.Candidates) != 2 || got.Candidates[0].Variant.Name != "b" || got.Lead.N != 2 ||
		math.Abs(got.Lead.Ratio-2) > 1e-9 {
		t.Errorf("%+v, %v", got, err)
	}
}
