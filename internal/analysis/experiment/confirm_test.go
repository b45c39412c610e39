// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"fmt"
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

const searching, confirming = 5, 6

// confirmedPlan has five repetitions that search, and then six that confirm.
func confirmedPlan(variants int, s *plan.Stopping) plan.Plan {
	p := planOf(variants, searching+confirming, s)
	p.ConfirmingRepetitions = confirming
	return p
}

// run measures what a plan wants, one trial after the other, as a runner does.
func run(p plan.Plan, bandwidth func(plan.Trial) float64) []result.Trial {
	var trials []result.Trial
	for {
		wanted := EndOf(p, trials).Wanted(p)
		if len(wanted) == len(trials) {
			return trials
		}
		all := measured(p, len(p.Trials), func(t plan.Trial) float64 {
			if t.Index != wanted[len(trials)].Index {
				return 1
			}
			return bandwidth(t)
		})
		trials = append(trials, all[wanted[len(trials)].Index])
	}
}

func variantsOf(trials []result.Trial) []string {
	var names []string
	for _, t := range trials {
		names = append(names, t.Variant)
	}
	return names
}

func TestWinnersAreMeasuredAnew(t *testing.T) {
	stopping := &plan.Stopping{MinRepetitions: 3, TargetRelativeError: 0.025}
	tests := map[string]struct {
		stopping *plan.Stopping
		factors  map[string]float64
		// searched counts trials of 4 variants and the closing reference, 5 repetitions.
		searched int
		confirms []string
	}{
		"the fastest":           {nil, map[string]float64{"b": 1.1, "c": 1.3, "d": 1.2}, 25, []string{"a", "c"}},
		"ended early":           {stopping, map[string]float64{"d": 1.2}, 15, []string{"a", "d"}},
		"the reference leads":   {nil, map[string]float64{"b": 0.9, "c": 0.8, "d": 0.7}, 25, nil},
		"the others never work": {nil, map[string]float64{"b": 0, "c": 0, "d": 0}, 25, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p := confirmedPlan(4, tt.stopping)
			trials := run(p, noisy(0.001, tt.factors))
			end := EndOf(p, trials)
			if diff := cmp.Diff(tt.confirms, end.Confirming); diff != "" {
				t.Errorf("confirming (-want +got):\n%s", diff)
			}
			// The reference is at the start and at the end of each repetition.
			want := tt.searched
			if len(tt.confirms) > 0 {
				want += confirming * 3
			}
			if len(trials) != want || len(end.Counted(trials)) != want {
				t.Errorf("%d trials ran and %d count, want %d", len(trials), len(end.Counted(trials)), want)
			}
			for _, name := range variantsOf(trials[tt.searched:]) {
				if !slices.Contains(tt.confirms, name) {
					t.Errorf("%s was measured anew", name)
				}
			}
		})
	}
}

// What repetitions that confirm say changes neither the winner nor the comparison that chose it, and what nobody
// asked for does not count.
func TestConfirmingDoesNotChoose(t *testing.T) {
	p := confirmedPlan(3, nil)
	search := noisy(0.001, map[string]float64{"c": 1.2})
	trials := measured(p, len(p.Trials), func(t plan.Trial) float64 {
		if t.Repetition > searching && t.Variant == "b" {
			return 1e9
		}
		return search(t)
	})
	n := NodeTrials{Plan: p, Trials: trials}
	leaders := n.Leaders()
	if len(leaders) != 1 || leaders[0].Variant != "c" || math.Abs(leaders[0].Ratio-1.2) > 0.01 {
		t.Errorf("leaders: %+v, want c at 1.2", leaders)
	}
	for _, counted := range EndOf(p, trials).Counted(trials) {
		if counted.Repetition > searching && counted.Variant == "b" {
			t.Errorf("trial %d of b counts, which did not lead", counted.Index)
		}
	}
	all, err := Compare([]NodeTrials{n}, 0.03)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		if c.N != 5 {
			t.Errorf("%s is compared in %d repetitions, want the 5 that search", c.Variant, c.N)
		}
	}
	if got := n.Sample(all[0].Metric, Bandwidth, p.Variants[1]).Values; len(got) != 5 {
		t.Errorf("%d values of b, want 5", len(got))
	}
}

// Of each kind of protection one leads: giving some of it up is no way to win.
func TestLeadersByProtection(t *testing.T) {
	p := confirmedPlan(4, nil)
	for i, sync := range []v1alpha1.PropertyValue{"standard", "standard", "disabled", "disabled"} {
		p.Variants[i].Dataset.Properties = v1alpha1.DatasetProperties{"sync": sync}
	}
	n := NodeTrials{Plan: p, Trials: measured(p, 25, noisy(0.001, map[string]float64{"b": 1.1, "c": 3, "d": 2}))}
	var got []string
	for _, l := range n.Leaders() {
		got = append(got, l.Variant)
	}
	if diff := cmp.Diff([]string{"b", "c"}, got); diff != "" {
		t.Errorf("leaders (-want +got):\n%s", diff)
	}
}

func TestConfirm(t *testing.T) {
	metric := Metric{"w", v1alpha1.OperationWrite}
	tests := map[string]struct {
		// anew is what the winner does when it is measured anew.
		anew    float64
		ratio   float64
		verdict stats.Verdict
	}{
		"a true winner": {1.2, 1.2, stats.Better},
		"a lucky one":   {1.0, 1.0, stats.Equivalent},
		"a loser":       {0.8, 0.8, stats.Worse},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p := confirmedPlan(4, nil)
			before, after := noisy(0.005, map[string]float64{"c": 1.2}), noisy(0.005, map[string]float64{"c": tt.anew})
			trials := run(p, func(t plan.Trial) float64 {
				if t.Repetition > searching {
					return after(t)
				}
				return before(t)
			})
			got, err := Confirm([]NodeTrials{{Plan: p, Trials: trials}}, 0.03)
			if err != nil {
				t.Fatal(err)
			}
			want := []Confirmation{{
				MetricComparison: MetricComparison{
					Metric: metric, Node: "storage-0", Variant: "c", Reference: "a",
					Comparison: stats.Comparison{N: confirming, Ratio: tt.ratio}, Verdict: tt.verdict,
				},
				SearchRatio: 1.2,
			}}
			options := cmp.Options{
				cmpopts.EquateApprox(0.01, 0), cmpopts.IgnoreFields(stats.Comparison{}, "Interval95", "Interval90", "P"),
				cmpopts.IgnoreFields(MetricComparison{}, "HolmP"), cmpopts.IgnoreUnexported(MetricComparison{}),
			}
			if diff := cmp.Diff(want, got, options); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Nothing is confirmed before the winner is known, and nothing by a plan that does not ask.
func TestNothingToConfirm(t *testing.T) {
	p := confirmedPlan(3, nil)
	early := NodeTrials{Plan: p, Trials: measured(p, 19, noisy(0.001, map[string]float64{"b": 1.2}))}
	plain := planOf(3, 5, nil)
	got, err := Confirm([]NodeTrials{early, {Plan: plain, Trials: measured(plain, 20,
		noisy(0.001, map[string]float64{"b": 1.2}))}}, 0.03)
	if err != nil || len(got) != 0 {
		t.Errorf("confirmed: %+v, %v", got, err)
	}
}

// BenchmarkWinner prints how often the 95% interval of the best of n equal variants holds the truth: by the
// repetitions that chose it, and by as many fresh ones. Each iteration is one experiment of 10 repetitions at a
// coefficient of variation of 5%: docs/statistics.md.
func BenchmarkWinner(b *testing.B) {
	for _, variants := range []int{2, 8, 20, 104} {
		b.Run(fmt.Sprint(variants), func(b *testing.B) {
			random := rand.New(rand.NewPCG(1, uint64(variants)))
			var naive, fresh int
			var flattered float64
			for range b.N {
				reference := logNormal(random)
				best := stats.Comparison{}
				for range variants {
					if c := compared(b, logNormal(random), reference); c.Ratio > best.Ratio {
						best = c
					}
				}
				again := compared(b, logNormal(random), logNormal(random))
				naive += holdsOne(best)
				fresh += holdsOne(again)
				flattered += math.Log(best.Ratio)
			}
			b.ReportMetric(100*float64(naive)/float64(b.N), "naive-coverage-%")
			b.ReportMetric(100*float64(fresh)/float64(b.N), "confirmed-coverage-%")
			b.ReportMetric(100*math.Expm1(flattered/float64(b.N)), "flattery-%")
		})
	}
}

func logNormal(random *rand.Rand) []float64 {
	values := make([]float64, 10)
	for i := range values {
		values[i] = math.Exp(0.05 * random.NormFloat64())
	}
	return values
}

func compared(b *testing.B, values, reference []float64) stats.Comparison {
	b.Helper()
	c, err := stats.Compare(values, reference, stats.StoppingRule{})
	if err != nil {
		b.Fatal(err)
	}
	return c
}

func holdsOne(c stats.Comparison) int {
	if c.Interval95.Low <= 1 && c.Interval95.High >= 1 {
		return 1
	}
	return 0
}
