// SPDX-License-Identifier: Apache-2.0

package model

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
)

// corpusInput has a corpus and another workload, on a pool and on a baseline.
func corpusInput() Input {
	spec := v1alpha1.ZfsBenchmarkSpec{Workloads: []v1alpha1.Workload{{Name: "given",
		Corpus: &v1alpha1.CorpusWorkload{}}, {Name: "write"}}}
	in := Input{Benchmark: v1alpha1.ZfsBenchmark{Spec: spec}, Nodes: []NodeResults{{Name: "storage-0"}}}
	for i, ratio := range []string{"2.61", "2.59", "2.60"} {
		pool := result.PoolFacts{DedupRatio: 4, DatasetProperties: map[string]string{"refcompressratio": ratio,
			"logicalreferenced": "33554432", "referenced": "13107200"}}
		in.Nodes[0].Trials = append(in.Nodes[0].Trials,
			result.Trial{Index: 2 * i, Variant: "zfs", Repetition: i + 1, Node: "storage-0",
				Samples: []result.Sample{{Workload: "given", Pool: pool}, {Workload: "write", Pool: pool}}},
			result.Trial{Index: 2*i + 1, Variant: "ext4", Repetition: i + 1, Node: "storage-0",
				Samples: []result.Sample{{Workload: "given", Baseline: &result.BaselineFacts{Type: "ext4"}}}},
		)
	}
	return in
}

func TestRatios(t *testing.T) {
	want := []Ratio{{
		Workload: "given", Variant: "zfs", Node: "storage-0", Samples: 3, Compressed: 2.6, LeastCompressed: 2.59,
		MostCompressed: 2.61, Deduplicated: 4, DataBytes: 32 << 20, ReferencedBytes: 12.5 * (1 << 20),
	}}
	if diff := cmp.Diff(want, ratiosOf(corpusInput(), samplesOf(corpusInput()))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What a node reports as a property may be anything.
func TestPropertyNumber(t *testing.T) {
	for text, want := range map[string]float64{"1.46": 1.46, "33554432": 1 << 25, "": 0, "-": 0, "1.46x": 0, "-1": 0,
		"NaN": 0, "Inf": 0, "1e300": 0} {
		if got := PropertyNumber(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
