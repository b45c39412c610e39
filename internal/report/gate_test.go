// SPDX-License-Identifier: Apache-2.0

package report

import (
	"encoding/json"
	"strings"
	"testing"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/analysis/compare"
	"zfsbench.io/operator/internal/analysis/threshold"
	"zfsbench.io/operator/internal/report/model"
	"zfsbench.io/operator/internal/testfiles"
)

const gates = `
thresholds:
- {workload: seq-write, metric: writeBandwidth, atLeast: 50Mi}
- {workload: seq-write, metric: writeBandwidth, variant: "layout=raidz1,recordsize=128K", atLeast: 1Gi}
- {workload: seq-read, metric: readLatencyP99, atMost: 110%, relativeTo: Reference}
- {workload: seq-read, metric: readIOPS, atLeast: 95%, relativeTo: before}
- {workload: seq-read, metric: readIOPS, atLeast: 95%, relativeTo: gone}
`

// gatedInput is the experiment with six variants after an upgrade that made all of them 8% slower.
func gatedInput(t testing.TB) model.Input {
	before := comparedInput(t)
	facts := *before.Nodes[0].Facts
	facts.OpenZFSModule, facts.OpenZFSUserland = "2.2.7-1", "2.2.7-1"
	before.Nodes[0].Facts, before.Benchmark.Name = &facts, "before"
	document, err := compare.Decode(build(t, before).Comparable)
	if err != nil {
		t.Fatal(err)
	}
	slower := map[string]float64{}
	for name, speed := range sixVariants {
		slower[name] = 0.92 * speed
	}
	spec := twoByThree + sixRepetitions + "comparison: {reference: 'layout=raidz1,recordsize=128K', with: [{benchmark: " +
		"before}, {configMap: gone}]}\n" + gates
	in := experimentInput(t, spec, reality{speed: slower, cv: 0.01, drift: 0.01, slow: -1}, "storage-0")
	in.Finished = true
	in.Others = []compare.Other{{Name: "before", Comparable: document},
		{Name: "gone", Problem: "There is no ConfigMap gone in this namespace."}}
	return in
}

func TestGateGolden(t *testing.T) {
	out := build(t, gatedInput(t))
	checkMarkdown(t, out.Markdown)
	testfiles.Compare(t, "summary-gate.md", string(out.Markdown))
	if v := out.Thresholds; v == nil || v.Met || v.Reason != v1alpha1.ReasonNotMet {
		t.Errorf("thresholds: %+v", v)
	}
	var document model.Report
	if err := json.Unmarshal(out.JSON, &document); err != nil {
		t.Fatal(err)
	}
	if len(document.ComparedWith) != 2 || len(document.ComparedWith[0].Comparisons) != 12 ||
		document.ComparedWith[1].Problem == "" {
		t.Errorf("compared with %+v", document.ComparedWith)
	}
	outcomes := map[threshold.Outcome]int{}
	for _, j := range document.Thresholds {
		outcomes[j.Outcome]++
	}
	// 6 variants, 1, 5 that have a reference, 6 and 6.
	if len(document.Thresholds) != 24 || outcomes[threshold.NotJudged] != 6 {
		t.Errorf("%d judgements: %v", len(document.Thresholds), outcomes)
	}
}

// Until the benchmark has finished nothing is compared with others, and nothing judged; but it can be compared with
// as soon as it is.
func TestNothingIsJudgedBeforeTheEnd(t *testing.T) {
	in := gatedInput(t)
	in.Finished = false
	out := build(t, in)
	for _, words := range []string{"## Thresholds", "## Compared with"} {
		if strings.Contains(string(out.Markdown), words) {
			t.Errorf("summary.md has %q", words)
		}
	}
	if out.Thresholds != nil || strings.Contains(string(out.JSON), "judgement") || len(out.Comparable) == 0 {
		t.Errorf("thresholds: %+v", out.Thresholds)
	}
}

// A benchmark with the most of everything says it in a bounded page.
func TestGateIsBounded(t *testing.T) {
	in := manyInput(t, 3, 100, 1)
	in.Finished = true
	for range 64 {
		in.Benchmark.Spec.Thresholds = append(in.Benchmark.Spec.Thresholds,
			v1alpha1.Threshold{Workload: "seq-write", Metric: "writeIOPS", AtLeast: "1M"})
	}
	out := build(t, in)
	_, section, _ := strings.Cut(string(out.Markdown), "## Thresholds")
	section, _, _ = strings.Cut(section, "\n## ")
	if lines := strings.Count(section, "\n"); lines > 64+20 ||
		!strings.Contains(section, "And 19136 more, in results.json.") {
		t.Errorf("%d lines about thresholds:\n%.2000s", lines, section)
	}
	var document model.Report
	if err := json.Unmarshal(out.JSON, &document); err != nil {
		t.Fatal(err)
	}
	if len(document.Thresholds) != 4096 || !strings.Contains(strings.Join(document.Omitted, ", "),
		"thresholds after the first 4096 judgements") {
		t.Errorf("%d judgements, omitted %v", len(document.Thresholds), document.Omitted)
	}
	if len(out.Thresholds.Message) > 2000 {
		t.Errorf("the message has %d bytes", len(out.Thresholds.Message))
	}
}
