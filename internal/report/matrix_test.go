// SPDX-License-Identifier: Apache-2.0

package report

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/analysis/experiment"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/report/model"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/testfiles"
)

// sixVariants are in reality: one that is 20% slower than the reference, layout=raidz1,recordsize=128K, one that is
// its copy, one that is faster, and the rest.
var sixVariants = map[string]float64{
	"layout=raidz1,recordsize=16K": 0.8, "layout=raidz1,recordsize=128K": 1, "layout=raidz1,recordsize=1M": 1.25,
	"layout=raidz2,recordsize=16K": 0.55, "layout=raidz2,recordsize=128K": 1, "layout=raidz2,recordsize=1M": 1.04,
}

const (
	sixRepetitions = "repetitions: {min: 6, seed: 42}\n"
	confirmedSix   = "repetitions: {min: 6, seed: 42, confirm: 6}\n"
	toReference    = "comparison: {reference: 'layout=raidz1,recordsize=128K'}\n"
)

func comparedInput(t testing.TB) model.Input {
	return experimentInput(t, twoByThree+sixRepetitions+toReference,
		reality{speed: sixVariants, cv: 0.01, drift: 0.05, slow: 17}, "storage-0")
}

func TestMatrixGolden(t *testing.T) {
	quiet := reality{speed: sixVariants, cv: 0.01, drift: 0.05, slow: -1}
	noisy := reality{speed: sixVariants, cv: 0.06, drift: 0.05, slow: -1}
	const upTo = "repetitions: {min: 6, max: 10, targetRelativeError: 2.5%, seed: 42}\n"
	tests := map[string]model.Input{
		"matrix": comparedInput(t),
		"matrix-converged": experimentInput(t, twoByThree+upTo+"comparison: {reference: layout=raidz1, margin: 5%}\n",
			quiet, "storage-0"),
		"matrix-confirmed":     experimentInput(t, twoByThree+confirmedSix+toReference, quiet, "storage-0"),
		"matrix-not-converged": experimentInput(t, twoByThree+upTo+toReference, noisy, "storage-0"),
		"matrix-two-nodes": experimentInput(t, twoByThree+"repetitions: {min: 3, order: Sequential}\n", quiet,
			"storage-0", "storage-1"),
	}
	for name, in := range tests {
		t.Run(name, func(t *testing.T) {
			page := build(t, in).Markdown
			checkMarkdown(t, page)
			testfiles.Compare(t, "summary-"+name+".md", string(page))
		})
	}
}

// TestMatrixDocument holds what results.json says of a matrix against what the statistics say.
func TestMatrixDocument(t *testing.T) {
	in := comparedInput(t)
	var document model.Report
	if err := json.Unmarshal(build(t, in).JSON, &document); err != nil {
		t.Fatal(err)
	}
	p := in.Nodes[0].Plan
	if document.Order == nil || document.Order.Kind != v1alpha1.OrderRandomized || *document.Order.Seed != 42 ||
		document.Stopping != nil {
		t.Errorf("order %+v, stopping %+v", document.Order, document.Stopping)
	}
	if len(document.Variants) != 6 || document.Nodes[0].Repetitions != 6 || document.Nodes[0].Converged != nil {
		t.Errorf("%d variants, %d repetitions, converged %v", len(document.Variants), document.Nodes[0].Repetitions,
			document.Nodes[0].Converged)
	}
	for i, v := range document.Variants {
		if diff := cmp.Diff(p.Variants[i].Axes, v.Axes); diff != "" ||
			v.UsableBytes != plan.EstimateSpace(plan.Expand(p, nil), p.Variants[i]).UsableBytes {
			t.Errorf("variant %s has %d usable bytes and axes (-want +got):\n%s", v.Name, v.UsableBytes, diff)
		}
	}
	want, err := experiment.Compare([]experiment.NodeTrials{{Plan: p, Trials: in.Nodes[0].Trials}}, 0.03)
	if err != nil || len(want) != len(document.Comparisons) {
		t.Fatalf("%d comparisons, want %d: %v", len(document.Comparisons), len(want), err)
	}
	for i, got := range document.Comparisons {
		w := want[i]
		same := got.Variant == w.Variant && got.Ratio == w.Ratio && got.HolmP == w.HolmP && got.Verdict == w.Verdict &&
			*got.Interval95 == model.Interval(w.Interval95)
		if !same || got.N != 6 {
			t.Errorf("got %+v, want %+v", got, w)
		}
	}
	for _, r := range document.Results {
		if s := r.Statistics; r.Repetitions != 6 || s.N != 6 || s.MedianInterval == nil ||
			math.Abs(s.Median/r.BandwidthBytesPerSecond-1) > 1e-12 {
			t.Errorf("%s of %s: %d repetitions, median %v, statistics %+v", r.Workload, r.Variant, r.Repetitions,
				r.BandwidthBytesPerSecond, s)
		}
	}
}

func TestConvergedDocument(t *testing.T) {
	const upTo = "repetitions: {min: 6, max: 10, targetRelativeError: 2.5%}\n"
	tests := map[string]struct {
		cv          float64
		repetitions int
		converged   bool
	}{"quiet": {0.005, 6, true}, "noisy": {0.06, 10, false}}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var document model.Report
			in := experimentInput(t, twoByThree+upTo+toReference, reality{speed: sixVariants, cv: tt.cv, slow: -1}, "storage-0")
			if err := json.Unmarshal(build(t, in).JSON, &document); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(&model.Stopping{MinRepetitions: 6, MaxRepetitions: 10, TargetRelativeError: 0.025},
				document.Stopping); diff != "" {
				t.Errorf("stopping (-want +got):\n%s", diff)
			}
			n := document.Nodes[0]
			if n.Repetitions != tt.repetitions || n.Planned != 7*tt.repetitions || n.Converged == nil ||
				*n.Converged != tt.converged {
				t.Errorf("%d repetitions, %d planned, converged %v", n.Repetitions, n.Planned, n.Converged)
			}
		})
	}
}

// TestUnknownNumbersAreLeftOut: neither infinities nor what is not a number get into results.json, however little was
// measured.
func TestUnknownNumbersAreLeftOut(t *testing.T) {
	failed := func(trials []result.Trial) {
		for i := range trials {
			trials[i].Failure = &result.Failure{Reason: v1alpha1.ReasonWorkloadFailed}
		}
	}
	bandwidth := func(values ...float64) func([]result.Trial) {
		return func(trials []result.Trial) {
			for i := range trials {
				trials[i].Samples[0].Write.BandwidthBytesPerSecond = values[i%len(values)]
			}
		}
	}
	tests := map[string]struct {
		repetitions int
		change      func([]result.Trial)
		has, not    string
	}{
		"one repetition":     {1, bandwidth(1e8), `"p":1`, `"interval95"`},
		"all failed":         {6, failed, `"n":0,"p":1`, `"statistics"`},
		"nothing moved":      {6, bandwidth(0), `"n":0,"p":1`, `"low":null`},
		"the largest spread": {2, bandwidth(1e-9, 1e18), `"ratio"`, `"low":null`},
		"beyond a float64":   {2, bandwidth(1e-300, 1e300), `"statistics"`, `"low":null`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			repetitions := fmt.Sprintf("repetitions: {min: %d}\n", tt.repetitions)
			in := experimentInput(t, twoByThree+repetitions+toReference, reality{speed: sixVariants, cv: 0.01, slow: -1},
				"storage-0")
			tt.change(in.Nodes[0].Trials)
			out := build(t, in)
			if text := string(out.JSON); !strings.Contains(text, tt.has) || strings.Contains(text, tt.not) {
				t.Errorf("results.json lacks %q or has %q", tt.has, tt.not)
			}
			if page := string(out.Markdown); strings.Contains(page, "NaN") || strings.Contains(page, "Inf") {
				t.Error(page)
			}
		})
	}
}

// TestClosingTrials: results.csv tells the reference variant's second trial of a repetition from its first.
func TestClosingTrials(t *testing.T) {
	in := comparedInput(t)
	records, err := csv.NewReader(strings.NewReader(string(build(t, in).CSV))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	variant, closing, closed := slices.Index(records[0], "variant"), slices.Index(records[0], "closing"), 0
	for _, r := range records[1:] {
		if r[closing] == "true" {
			closed++
			if r[variant] != "layout=raidz1,recordsize=128K" {
				t.Errorf("%s closes a repetition", r[variant])
			}
		}
	}
	if closed != 6*2 {
		t.Errorf("%d samples close a repetition, want 12", closed)
	}
}

// TestSummarySays what is to be known of an experiment that is not as it should be.
func TestSummarySays(t *testing.T) {
	tests := map[string]struct {
		spec   string
		change func(*model.NodeResults)
		want   []string
	}{
		"running": {sixRepetitions + toReference, func(n *model.NodeResults) { n.Trials = n.Trials[:30] },
			[]string{"Not all trials have ended"}},
		"a variant without results": {"repetitions: {min: 2, order: Interleaved}\n", func(n *model.NodeResults) {
			for i := range n.Trials {
				if n.Trials[i].Variant == "layout=raidz1,recordsize=1M" {
					n.Trials[i].Failure, n.Trials[i].Samples = &result.Failure{}, nil
				}
			}
		}, []string{"Not measured: 1 variant.", "in the order of the matrix"}},
		"trials failed": {"repetitions: {min: 2, max: 3}\n" + toReference, func(n *model.NodeResults) {
			for i := range n.Trials {
				if n.Trials[i].Variant == "layout=raidz1,recordsize=1M" && n.Trials[i].Repetition != 2 {
					n.Trials[i].Failure = &result.Failure{}
				}
			}
		}, []string{"Not converged after all 3 repetitions", "variant layout=raidz1,recordsize=1M: ± over 1000%"}},
		"one repetition": {"comparison: {reference: layout=raidz2, margin: 10%}\nrepetitions: {min: 1}\n",
			func(*model.NodeResults) {}, []string{
				"Where n is 1, it is unknown", "with layout=raidz2 and otherwise the same values",
				"Differences within 10% do not matter", "- Inconclusive, 3 of 3: ",
			}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			in := experimentInput(t, twoByThree+tt.spec, reality{speed: sixVariants, cv: 0.06, slow: -1}, "storage-0")
			tt.change(&in.Nodes[0])
			page := string(build(t, in).Markdown)
			for _, want := range tt.want {
				if !strings.Contains(page, want) {
					t.Errorf("summary.md lacks %q:\n%s", want, page)
				}
			}
		})
	}
}

// TestCertaintyOfASingleVariant: from 6 repetitions on the table has an interval instead of the spread.
func TestCertaintyOfASingleVariant(t *testing.T) {
	single, _, _ := strings.Cut(twoByThree, "matrix:")
	for repetitions, want := range map[int]string{5: " Spread |", 6: " 95% |    CV |"} {
		spec := fmt.Sprintf("%srepetitions: {min: %d}\n", single, repetitions)
		page := string(build(t, experimentInput(t, spec, reality{speed: map[string]float64{"default": 1}, cv: 0.02,
			slow: -1}, "storage-0")).Markdown)
		if !strings.Contains(page, want) {
			t.Errorf("%d repetitions: summary.md lacks %q:\n%s", repetitions, want, page)
		}
	}
}
