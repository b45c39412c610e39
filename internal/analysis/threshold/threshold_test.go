// SPDX-License-Identifier: Apache-2.0

package threshold

import (
	"fmt"
	"strings"
	"testing"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/analysis/compare"
	"zfsbench.io/operator/internal/analysis/experiment"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
)

// node measured workload w, which writes: so many repetitions of variant a at 100 MiB/s and 2 ms, of b, of which a is
// the reference, at twice that. Repetitions differ by 1%.
func node(repetitions int) compare.Measured {
	m := compare.Measured{NodeTrials: experiment.NodeTrials{Plan: plan.Plan{
		Node: plan.Node{Name: "n"}, Workloads: []v1alpha1.Workload{{Name: "w",
			Fio: &v1alpha1.FioWorkload{RW: v1alpha1.FioWrite}}},
		Variants: []plan.Variant{{Name: "a"}, {Name: "b", Reference: "a"}},
	}}}
	for i := range 2 * repetitions {
		name, speed := "a", 1.0
		if i%2 == 1 {
			name, speed = "b", 2
		}
		speed *= 1 + 0.01*float64(i/2%2)
		t := plan.Trial{Index: i, Variant: name, Repetition: i/2 + 1}
		m.Plan.Trials = append(m.Plan.Trials, t)
		m.Trials = append(m.Trials, result.Trial{Index: i, Variant: name, Repetition: t.Repetition,
			Samples: []result.Sample{{Workload: "w", Write: &result.Operation{
				BandwidthBytesPerSecond: speed * (100 << 20), IOPS: 800 * speed,
				Latency: result.Latency{MeanNanoseconds: 2e6 / speed, P99Nanoseconds: int64(4e6 / speed)},
			}}}})
	}
	return m
}

// ofFiles has a workload w with phases in place of reading and writing.
func ofFiles() compare.Measured {
	m := node(6)
	m.Plan.Workloads = []v1alpha1.Workload{{Name: "w", Tree: &v1alpha1.TreeWorkload{}}}
	for i := range m.Trials {
		s := &m.Trials[i].Samples[0]
		s.Phases, s.Write = []result.Phase{{Name: "create", Operation: *s.Write},
			{Name: "delete", Operation: result.Operation{IOPS: 5000}}}, nil
	}
	return m
}

func comparableOf(nodes ...compare.Measured) compare.Comparable {
	return compare.Of(&v1alpha1.ZfsBenchmark{}, v1alpha1.PhaseComplete, nodes, nil)
}

// threshold reads "METRIC >= BOUND of RELATION", or <=, for a variant or all.
func threshold(t *testing.T, text, variant string) v1alpha1.Threshold {
	t.Helper()
	out := v1alpha1.Threshold{Workload: "w", Variant: variant}
	var sign, bound string
	if n, err := fmt.Sscanf(text, "%s %s %s of %s", &out.Metric, &sign, &bound, &out.RelativeTo); n < 3 {
		t.Fatal(err)
	}
	if sign == ">=" {
		out.AtLeast = v1alpha1.ThresholdBound(bound)
	} else {
		out.AtMost = v1alpha1.ThresholdBound(bound)
	}
	return out
}

func TestJudgePhases(t *testing.T) {
	tests := map[string]Outcome{"createIOPS >= 500": Met, "createLatencyP99 <= 1us": NotMet,
		"deleteIOPS >= 6k": NotMet, "deleteBandwidth >= 1": NotJudged, "writeIOPS >= 1": NotJudged}
	for text, want := range tests {
		n := ofFiles()
		got, err := Judge(Input{Thresholds: []v1alpha1.Threshold{threshold(t, text, "a")}, Own: comparableOf(n),
			Nodes: []compare.Measured{n}})
		if err != nil || len(got) != 1 || got[0].Outcome != want {
			t.Errorf("%s: %v, %v; want %s", text, got, err, want)
		}
	}
}

func TestJudge(t *testing.T) {
	others := []compare.Other{{Name: "before", Comparable: comparableOf(node(6))},
		{Name: "gone", Problem: "There is no benchmark gone."}}
	tests := map[string]struct {
		threshold, variant string
		repetitions        int
		want               []string // outcome of each variant, with "?" if it is not certain
	}{
		"bandwidth":             {"writeBandwidth >= 150Mi", "", 6, []string{"NotMet", "Met"}},
		"of one variant":        {"writeBandwidth >= 150Mi", "b", 6, []string{"Met"}},
		"at most":               {"writeBandwidth <= 150Mi", "", 6, []string{"Met", "NotMet"}},
		"near the bound":        {"writeBandwidth >= 100Mi", "a", 6, []string{"Met?"}},
		"just below the bound":  {"writeBandwidth >= 101Mi", "a", 6, []string{"NotMet?"}},
		"one repetition":        {"writeBandwidth >= 50Mi", "a", 1, []string{"Met?"}},
		"IOPS":                  {"writeIOPS >= 1k", "", 6, []string{"NotMet", "Met"}},
		"mean latency":          {"writeLatencyMean <= 1.5ms", "", 6, []string{"NotMet", "Met"}},
		"p99":                   {"writeLatencyP99 <= 3ms", "", 6, []string{"NotMet", "Met"}},
		"a percentile unknown":  {"writeLatencyP999 <= 3ms", "", 6, []string{"NotJudged", "NotJudged"}},
		"not read":              {"readIOPS >= 1", "a", 6, []string{"NotJudged"}},
		"the reference":         {"writeBandwidth >= 190% of Reference", "", 6, []string{"Met"}},
		"latency of reference":  {"writeLatencyMean <= 40% of Reference", "", 6, []string{"NotMet"}},
		"another benchmark":     {"writeBandwidth >= 95% of before", "", 6, []string{"Met", "Met"}},
		"another, not certain":  {"writeBandwidth >= 100% of before", "a", 6, []string{"Met?"}},
		"another, latency":      {"writeLatencyP99 <= 90% of before", "", 6, []string{"NotMet", "NotMet"}},
		"nothing to compare to": {"writeBandwidth >= 95% of gone", "a", 6, []string{"NotJudged"}},
		"nothing measured":      {"writeBandwidth >= 95Mi", "a", 0, []string{"NotJudged"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			n := node(tt.repetitions)
			got, err := Judge(Input{Thresholds: []v1alpha1.Threshold{threshold(t, tt.threshold, tt.variant)},
				Own: comparableOf(n), Nodes: []compare.Measured{n}, Others: others})
			if err != nil {
				t.Fatal(err)
			}
			var outcomes []string
			for _, j := range got {
				outcome := string(j.Outcome)
				if j.Outcome != NotJudged && !j.Certain {
					outcome += "?"
				}
				if (j.Problem != "") != (j.Outcome == NotJudged) {
					t.Errorf("%s with the problem %q", j.Outcome, j.Problem)
				}
				outcomes = append(outcomes, outcome)
			}
			if fmt.Sprint(outcomes) != fmt.Sprint(tt.want) {
				t.Errorf("got %v, want %v: %+v", outcomes, tt.want, got)
			}
		})
	}
}

func TestVerdictOf(t *testing.T) {
	n := node(6)
	judge := func(texts ...string) []Judgement {
		t.Helper()
		in := Input{Own: comparableOf(n), Nodes: []compare.Measured{n},
			Others: []compare.Other{{Name: "gone", Problem: "There is no benchmark gone."}}}
		for _, text := range texts {
			in.Thresholds = append(in.Thresholds, threshold(t, text, ""))
		}
		all, err := Judge(in)
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	tests := map[string]struct {
		judgements []Judgement
		failed     bool
		met        bool
		reason     string
		message    string
	}{
		"met": {judge("writeIOPS >= 500", "writeBandwidth >= 50Mi"), false, true, v1alpha1.ReasonMet,
			"All 2 thresholds are met, for certain"},
		"not certain": {judge("writeIOPS >= 500", "writeBandwidth >= 100Mi"), false, true, v1alpha1.ReasonMetNotCertain,
			"writeBandwidth of w (variant a on n) is 100 MiB/s; required is at least 100Mi: met, but not for certain."},
		"not met": {judge("writeIOPS >= 500", "writeIOPS >= 1k"), false, false, v1alpha1.ReasonNotMet,
			"1 of 2 thresholds is not met. writeIOPS of w (variant a on n) is 804; required is at least 1k: not met."},
		"not judged": {judge("writeIOPS >= 500", "writeIOPS >= 95% of gone"), false, false, v1alpha1.ReasonNotJudged,
			"1 of 2 thresholds is not judged. writeIOPS of w (variant a on n) is not judged: There is no benchmark gone."},
		"neither": {judge("writeIOPS >= 95% of gone", "writeIOPS >= 9k", "writeIOPS >= 8k"), false, false,
			v1alpha1.ReasonNotMet,
			"3 of 3 thresholds are not met. writeIOPS of w (variant a on n) is 804; required is at least 9k"},
		"many": {judge("writeIOPS >= 9k", "writeIOPS >= 8k"), false, false, v1alpha1.ReasonNotMet,
			"And 1 more, in results.json."},
		"a ratio": {judge("writeIOPS >= 300% of Reference"), false, false, v1alpha1.ReasonNotMet,
			"is 200%; required is at least 300% of the reference: not met."},
		"failed": {judge("writeIOPS >= 500", "writeIOPS >= 1k"), true, false, v1alpha1.ReasonBenchmarkFailed,
			"by the results there are, 1 of 2 are."},
		"failed early": {[]Judgement{{Outcome: NotJudged, Problem: "Nothing was measured."}}, true, false,
			v1alpha1.ReasonBenchmarkFailed, "0 of 1 are."},
	}
	for name, tt := range tests {
		got := VerdictOf(tt.judgements, tt.failed, "results.json")
		if got.Met != tt.met || got.Reason != tt.reason || !strings.Contains(got.Message, tt.message) {
			t.Errorf("%s: got %+v, want %v, %s, %q", name, got, tt.met, tt.reason, tt.message)
		}
	}
}
