// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/analysis/threshold"
)

// TestGate measures the same thing twice. The second benchmark is compared with the first, meets one threshold, and
// cannot meet the other.
func TestGate(t *testing.T) {
	before := awaitComplete(t, newBenchmark("gate-before").files(2, "256Mi").repetitions(2).seqWrite().apply(t))
	b := newBenchmark("gate-after").files(2, "256Mi").repetitions(2).seqWrite()
	b.obj.Spec.Comparison = &v1alpha1.ComparisonSpec{With: []v1alpha1.ComparedWith{{Benchmark: before.Name}}}
	b.obj.Spec.Thresholds = []v1alpha1.Threshold{
		{Workload: "seq-write", Metric: v1alpha1.MetricWriteBandwidth, AtLeast: "1%", RelativeTo: before.Name},
		{Workload: "seq-write", Metric: "writeLatencyMean", AtMost: "1ns"},
	}
	after := awaitComplete(t, b.apply(t))
	assertFacts(t, after)

	c := meta.FindStatusCondition(after.Status.Conditions, v1alpha1.ConditionThresholdsMet)
	if c == nil || c.Status != metav1.ConditionFalse || c.Reason != v1alpha1.ReasonNotMet ||
		!strings.Contains(c.Message, "1 of 2 thresholds") || !strings.Contains(c.Message, "at most 1ns") {
		t.Errorf("ThresholdsMet is %+v, want it False for the one that cannot be met", c)
	}
	if c := meta.FindStatusCondition(before.Status.Conditions, v1alpha1.ConditionThresholdsMet); c != nil {
		t.Errorf("a benchmark without thresholds has the condition: %+v", c)
	}
	docs := readDocuments(t, after)
	if outcomes := docs.json.Thresholds; len(outcomes) != 2 || outcomes[0].Outcome != threshold.Met ||
		outcomes[1].Outcome != threshold.NotMet {
		t.Errorf("thresholds in results.json: %+v", outcomes)
	}
	with := docs.json.ComparedWith
	if len(with) != 1 || len(with[0].Comparisons) != 1 || with[0].Problem != "" || with[0].Comparisons[0].Ratio <= 0 {
		t.Fatalf("compared with %+v", with)
	}
	if len(with[0].NotCompared) > 0 {
		t.Errorf("not compared: %+v", with[0].NotCompared)
	}
	for _, words := range []string{"## Compared with gate-before", "## Thresholds"} {
		if !strings.Contains(docs.summary, words) {
			t.Errorf("summary.md lacks %q:\n%s", words, docs.summary)
		}
	}
}
