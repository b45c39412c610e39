// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/stats"
)

// planOf has variants a, b, ... of which the first is the reference, a workload w, and so many repetitions, each of
// which ends with the reference once more.
func planOf(variants, repetitions int, s *plan.Stopping) plan.Plan {
	p := plan.Plan{
		Node: plan.Node{Name: "storage-0"}, Workloads: []v1alpha1.Workload{{Name: "w"}},
		Order: &plan.Order{Kind: v1alpha1.OrderRandomized}, Stopping: s,
	}
	for i := range variants {
		v := plan.Variant{Name: string(rune('a' + i))}
		if i > 0 {
			v.Reference = "a"
		}
		p.Variants = append(p.Variants, v)
	}
	add := func(name string, repetition int, closing bool) {
		p.Trials = append(p.Trials, plan.Trial{Index: len(p.Trials), Variant: name, Repetition: repetition, Closing: closing})
	}
	for repetition := 1; repetition <= repetitions; repetition++ {
		for _, v := range p.Variants {
			add(v.Name, repetition, false)
		}
		add("a", repetition, true)
	}
	return p
}

// measured are the results of the first n trials of a plan: what the function says, as the bandwidth of writing.
func measured(p plan.Plan, n int, bandwidth func(plan.Trial) float64) []result.Trial {
	var trials []result.Trial
	for _, t := range p.Trials[:n] {
		r := result.Trial{Index: t.Index, Variant: t.Variant, Repetition: t.Repetition, Node: p.Node.Name}
		if b := bandwidth(t); b > 0 {
			r.Samples = []result.Sample{{Workload: "w", Write: &result.Operation{BandwidthBytesPerSecond: b}}}
		} else {
			r.Failure = &result.Failure{Reason: v1alpha1.ReasonWorkloadFailed}
		}
		trials = append(trials, r)
	}
	return trials
}

// noisy scatters around 100 MB/s, times a factor by variant.
func noisy(deviation float64, factors map[string]float64) func(plan.Trial) float64 {
	random := rand.New(rand.NewPCG(1, 2))
	return func(t plan.Trial) float64 {
		factor := 1.0
		if f, ok := factors[t.Variant]; ok {
			factor = f
		}
		return 1e8 * factor * math.Exp(deviation*random.NormFloat64())
	}
}

func TestEndOf(t *testing.T) {
	stopping := &plan.Stopping{MinRepetitions: 3, TargetRelativeError: 0.025}
	fails := func(variant string) func(plan.Trial) float64 {
		quiet := noisy(0.001, nil)
		return func(t plan.Trial) float64 {
			if t.Variant == variant {
				return 0
			}
			return quiet(t)
		}
	}
	tests := map[string]struct {
		stopping *plan.Stopping
		trials   int // of 3 variants and the closing reference, 5 repetitions: 20
		measure  func(plan.Trial) float64
		want     End
		wanted   int
	}{
		"nothing measured":             {stopping, 0, noisy(0, nil), End{Repetitions: 5}, 20},
		"before the minimum":           {stopping, 8, noisy(0.001, nil), End{Repetitions: 5}, 20},
		"one trial before the minimum": {stopping, 11, noisy(0.001, nil), End{Repetitions: 5}, 20},
		"quiet at the minimum": {stopping, 12, noisy(0.001, nil),
			End{Repetitions: 3, Decided: true, Converged: true}, 12},
		"what comes later changes nothing": {stopping, 20, noisy(0.001, nil),
			End{Repetitions: 3, Decided: true, Converged: true}, 12},
		"noisy at the minimum": {stopping, 12, noisy(0.1, nil), End{Repetitions: 5}, 20},
		"noisy to the end":     {stopping, 20, noisy(0.1, nil), End{Repetitions: 5, Decided: true}, 20},
		"a variant that fails": {stopping, 12, fails("b"), End{Repetitions: 5}, 20},
		"the reference fails":  {stopping, 20, fails("a"), End{Repetitions: 5, Decided: true}, 20},
		"fixed, under way":     {nil, 19, noisy(0.001, nil), End{Repetitions: 5}, 20},
		"fixed, done":          {nil, 20, noisy(0.1, nil), End{Repetitions: 5, Decided: true}, 20},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p := planOf(3, 5, tt.stopping)
			trials := measured(p, tt.trials, tt.measure)
			if diff := cmp.Diff(tt.want, EndOf(p, trials), cmpopts.IgnoreUnexported(End{})); diff != "" {
				t.Errorf("EndOf (-want +got):\n%s", diff)
			}
			if got := len(EndOf(p, trials).Wanted(p)); got != tt.wanted {
				t.Errorf("%d trials are wanted, want %d", got, tt.wanted)
			}
		})
	}
}

// A operation that is first measured later, as by a runner that goes on, does not undo a decision.
func TestEndOfStays(t *testing.T) {
	p := planOf(1, 5, &plan.Stopping{MinRepetitions: 3, TargetRelativeError: 0.025})
	trials := measured(p, len(p.Trials), func(plan.Trial) float64 { return 1e8 })
	want := End{Repetitions: 3, Decided: true, Converged: true}
	for n := 6; n <= len(trials); n++ {
		if n > 6 {
			trials[n-1].Samples[0].Read = &result.Operation{BandwidthBytesPerSecond: float64(n)}
		}
		got := EndOf(p, trials[:n])
		if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(End{})); diff != "" {
			t.Errorf("after %d trials (-want +got):\n%s", n, diff)
		}
		if counted := got.Counted(trials[:n]); len(counted) != 6 {
			t.Errorf("after %d trials, %d count, want 6", n, len(counted))
		}
	}
}

// The interval of a variant's own values is calibrated only where these decided when to stop.
func TestSummarizeCalibratesWhatDecided(t *testing.T) {
	stopping := &plan.Stopping{MinRepetitions: 6, TargetRelativeError: 0.025}
	metric := Metric{"w", v1alpha1.OperationWrite}
	width := func(p plan.Plan, v plan.Variant) float64 {
		trials := measured(p, len(p.Trials), noisy(0.022, nil))
		s, err := NodeTrials{Plan: p, Trials: trials}.Summarize(metric, v)
		if err != nil {
			t.Fatal(err)
		}
		return s.Interval95.RelativeError()
	}
	compared, fixed := planOf(2, 8, stopping), planOf(2, 8, nil)
	for i, v := range compared.Variants {
		if got, want := width(compared, v), width(fixed, fixed.Variants[i]); got != want {
			t.Errorf("%s, of which the ratio decided: ± %v, want the plain ± %v", v.Name, got, want)
		}
	}
	alone, plain := planOf(1, 8, stopping), planOf(1, 8, nil)
	if got, want := width(alone, alone.Variants[0]), width(plain, plain.Variants[0]); got <= want {
		t.Errorf("of values that decided: ± %v, want more than the plain ± %v", got, want)
	}
}

// What all variants share in a repetition cancels out: it does not keep a comparison from converging, but it does
// keep a single variant.
func TestEndOfLooksAtRatios(t *testing.T) {
	busy := func(t plan.Trial) float64 { return 1e8 * float64(t.Repetition) }
	stopping := &plan.Stopping{MinRepetitions: 3, TargetRelativeError: 0.025}
	p := planOf(2, 5, stopping)
	if got := EndOf(p, measured(p, 9, busy)); !got.Converged {
		t.Errorf("ratios that are all 1 do not converge: %+v", got)
	}
	alone := planOf(1, 5, stopping)
	if got := EndOf(alone, measured(alone, 6, busy)); got.Converged {
		t.Errorf("values that grow with each repetition converge: %+v", got)
	}
}

func TestCompare(t *testing.T) {
	p := planOf(4, 8, nil)
	trials := measured(p, len(p.Trials), noisy(0.01, map[string]float64{"b": 0.8, "d": 1.3}))
	got, err := Compare([]NodeTrials{{Plan: p, Trials: trials}}, 0.03)
	if err != nil {
		t.Fatal(err)
	}
	metric := Metric{"w", v1alpha1.OperationWrite}
	want := []MetricComparison{
		{Metric: metric, Node: "storage-0", Variant: "b", Reference: "a", Comparison: stats.Comparison{N: 8, Ratio: 0.8},
			Verdict: stats.Worse},
		{Metric: metric, Node: "storage-0", Variant: "c", Reference: "a", Comparison: stats.Comparison{N: 8, Ratio: 1},
			Verdict: stats.Equivalent},
		{Metric: metric, Node: "storage-0", Variant: "d", Reference: "a", Comparison: stats.Comparison{N: 8, Ratio: 1.3},
			Verdict: stats.Better},
	}
	options := cmp.Options{
		cmpopts.EquateApprox(0.01, 0), cmpopts.IgnoreFields(stats.Comparison{}, "Interval95", "Interval90", "P"),
		cmpopts.IgnoreFields(MetricComparison{}, "HolmP"), cmpopts.IgnoreUnexported(MetricComparison{}),
	}
	if diff := cmp.Diff(want, got, options); diff != "" {
		t.Errorf("comparisons (-want +got):\n%s", diff)
	}
}

// Holm's correction counts the comparisons of all nodes, metrics and variants as one family.
func TestCompareCorrectsForAll(t *testing.T) {
	p := planOf(2, 6, nil)
	trials := measured(p, len(p.Trials), noisy(0.05, nil))
	one, err := Compare([]NodeTrials{{Plan: p, Trials: trials}}, 0.03)
	if err != nil {
		t.Fatal(err)
	}
	three, err := Compare(slices.Repeat([]NodeTrials{{Plan: p, Trials: trials}}, 3), 0.03)
	if err != nil {
		t.Fatal(err)
	}
	if want := min(1, 3*one[0].P); one[0].HolmP != one[0].P || math.Abs(three[0].HolmP-want) > 1e-12 {
		t.Errorf("corrected p = %v alone and %v of three, want %v and %v", one[0].HolmP, three[0].HolmP, one[0].P, want)
	}
}

// A trial without a value leaves its repetition out of this comparison only.
func TestCompareLeavesOutWhatFailed(t *testing.T) {
	p := planOf(3, 4, nil)
	trials := measured(p, len(p.Trials), func(t plan.Trial) float64 {
		if t.Variant == "b" && t.Repetition == 2 {
			return 0
		}
		return 1e8
	})
	got, err := Compare([]NodeTrials{{Plan: p, Trials: trials}}, 0.03)
	if err != nil {
		t.Fatal(err)
	}
	if got[0].N != 3 || got[1].N != 4 {
		t.Errorf("b is compared in %d repetitions, c in %d; want 3 and 4", got[0].N, got[1].N)
	}
}

// The reference is measured twice in a repetition; its value is the geometric mean of both.
func TestReferenceCountsOnce(t *testing.T) {
	p := planOf(2, 2, nil)
	trials := measured(p, len(p.Trials), func(t plan.Trial) float64 {
		if t.Closing {
			return 4e8
		}
		return 1e8
	})
	n := NodeTrials{Plan: p, Trials: trials}
	got, err := n.Summarize(Metric{"w", v1alpha1.OperationWrite}, p.Variants[0])
	if err != nil {
		t.Fatal(err)
	}
	if got.N != 2 || math.Abs(got.Median-2e8) > 1 {
		t.Errorf("n = %d, median %v; want 2 repetitions of 2e8", got.N, got.Median)
	}
}

// Phases are metrics in the order of the workload, whatever comes first; what the workload does not do is none, and
// what moves no bytes is compared by its operations.
func TestPhasesAreMetrics(t *testing.T) {
	p := planOf(2, 2, nil)
	p.Workloads[0].Tree = &v1alpha1.TreeWorkload{}
	trials := measured(p, len(p.Trials), func(plan.Trial) float64 { return 1e8 })
	for i := range trials {
		trials[i].Samples[0].Write = nil
		trials[i].Samples[0].Phases = []result.Phase{
			{Name: "mine", Operation: result.Operation{IOPS: 1}}, {Name: "delete", Operation: result.Operation{IOPS: 100}},
			{Name: "stat", TooFast: true},
			{Name: "create", Operation: result.Operation{IOPS: 5, Bytes: 1, BandwidthBytesPerSecond: 2e6}},
		}
	}
	metrics := Metrics(p, trials)
	if diff := cmp.Diff([]Metric{{"w", "create"}, {"w", "delete"}}, metrics); diff != "" {
		t.Fatalf("metrics (-want +got):\n%s", diff)
	}
	n := NodeTrials{Plan: p, Trials: trials}
	for i, want := range []float64{2e6, 100} {
		s, err := n.Summarize(metrics[i], p.Variants[1])
		if err != nil || s.N != 2 || s.Median != want {
			t.Errorf("%s: %+v, %v", metrics[i].Operation, s, err)
		}
	}
}

// Of several passes, the first and the last one are compared and end repetitions; a value between them has no say.
func TestPassesBetweenDoNotDecide(t *testing.T) {
	p := planOf(2, 6, nil)
	p.Workloads[0].Fio = &v1alpha1.FioWorkload{RW: v1alpha1.FioRandRead, Passes: 4}
	trials := measured(p, len(p.Trials), noisy(0.01, nil))
	for i := range trials {
		of := trials[i].Samples[0].Write
		trials[i].Samples = nil
		for pass := 1; pass <= 4; pass++ {
			trials[i].Samples = append(trials[i].Samples, result.Sample{Workload: "w", Pass: pass, Read: of})
		}
	}
	want := []Metric{{"w", "pass1Read"}, {"w", "pass4Read"}}
	if diff := cmp.Diff(want, Metrics(p, trials)); diff != "" {
		t.Errorf("metrics (-want +got):\n%s", diff)
	}
	compared, err := Compare([]NodeTrials{{Plan: p, Trials: trials}}, 0.03)
	if err != nil || len(compared) != 2 {
		t.Errorf("%d comparisons, %v", len(compared), err)
	}
	s, err := NodeTrials{Plan: p, Trials: trials}.Summarize(Metric{"w", "pass3Read"}, p.Variants[1])
	if err != nil || s.N != 6 {
		t.Errorf("a pass between: %+v, %v", s, err)
	}
}
