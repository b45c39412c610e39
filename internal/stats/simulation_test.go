// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
)

// defaultRule is the one that docs/statistics.md gives its figures for.
var defaultRule = StoppingRule{Min: 6, Max: 15, TargetRelativeError: 0.025}

// world makes up benchmarks whose true ratios are known.
type world struct {
	rule StoppingRule
	// ratios are the true ones of the variants to the reference variant. Without any there is one variant, without a
	// reference, whose true value is 1.
	ratios []float64
	// cv is the coefficient of variation of the repetitions, of each variant and of the reference.
	cv float64
	// noise is one repetition's deviation on the logarithmic scale, in standard deviations; nil is normal.
	noise func(*rand.Rand) float64
}

// run adds blocks until the rule stops. Each block has its own speed, with the same coefficient of variation, which its
// variants share.
func (w world) run(tb testing.TB, rng *rand.Rand) []Series {
	tb.Helper()
	sigma, noise := math.Sqrt(math.Log1p(w.cv*w.cv)), w.noise
	if noise == nil {
		noise = (*rand.Rand).NormFloat64
	}
	all := make([]Series, max(1, len(w.ratios)))
	for blocks := 1; ; blocks++ {
		if len(w.ratios) == 0 {
			all[0].Values = append(all[0].Values, math.Exp(sigma*noise(rng)))
		} else {
			block := math.Exp(sigma * rng.NormFloat64())
			reference := block * math.Exp(sigma*noise(rng))
			for i, ratio := range w.ratios {
				all[i].Values = append(all[i].Values, ratio*block*math.Exp(sigma*noise(rng)))
				all[i].Reference = append(all[i].Reference, reference)
			}
		}
		if blocks < w.rule.Min {
			continue
		}
		d, err := w.rule.Decide(all)
		if err != nil {
			tb.Fatal(err)
		}
		if d.Stop {
			return all
		}
	}
}

// compare is every comparison of a benchmark and the p values after Holm's correction.
func compare(tb testing.TB, all []Series, rule StoppingRule) ([]Comparison, []float64) {
	tb.Helper()
	comparisons, p := make([]Comparison, len(all)), make([]float64, len(all))
	for i, s := range all {
		c, err := Compare(s.Values, s.Reference, rule)
		if err != nil {
			tb.Fatal(err)
		}
		comparisons[i], p[i] = c, c.P
	}
	return comparisons, Holm(p)
}

func summarize(tb testing.TB, values []float64, rule StoppingRule) Summary {
	tb.Helper()
	s, err := Summarize(values, rule)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// holds says whether the true value lies in the interval.
func (i Interval) holds(value float64) bool { return i.Low <= value && value <= i.High }

// TestCoverage simulates the stopping rule around the coefficient of variation where Student's uncorrected interval is
// worst. Normal logarithms have a mean that is independent of all the scatter the rule looks at, so each simulated
// benchmark gives the probability that its interval holds the true value, erf(reach * sqrt(n/2) / sigma), instead of a
// yes or no; the mean of those has a far smaller error. BenchmarkCoverage counts instead. The tolerance is the promised
// 1% and 3 standard errors.
func TestCoverage(t *testing.T) {
	const benchmarks = 1000
	rng := rand.New(rand.NewPCG(4, 5))
	for _, cv := range []float64{0.035, 0.045} {
		sigma := math.Sqrt(math.Log1p(cv * cv))
		var calibrated, student []float64
		for range benchmarks {
			values := world{rule: defaultRule, cv: cv}.run(t, rng)[0].Values
			coverage := func(rule StoppingRule) float64 {
				reach := math.Log1p(summarize(t, values, rule).Interval95.RelativeError())
				return math.Erf(reach * math.Sqrt(float64(len(values))/2) / sigma)
			}
			calibrated, student = append(calibrated, coverage(defaultRule)), append(student, coverage(StoppingRule{}))
		}
		mean, deviation := stat.MeanStdDev(calibrated, nil)
		tolerance := 0.01 + 3*stat.StdErr(deviation, benchmarks)
		t.Logf("CV %.1f%%: coverage %.2f%%, without calibration %.2f%%, tolerance %.2f%%",
			cv*100, mean*100, stat.Mean(student, nil)*100, tolerance*100)
		if !closeTo(mean, 0.95, tolerance) {
			t.Errorf("CV %.1f%%: coverage %.2f%%, want 95%% +- %.2f%%", cv*100, mean*100, tolerance*100)
		}
		if naive := stat.Mean(student, nil); cv == 0.045 && closeTo(naive, 0.95, tolerance) {
			t.Errorf("CV %.1f%%: %.2f%% without calibration: this simulation would not notice if it were missing",
				cv*100, naive*100)
		}
	}
}

// TestFamilyWiseError counts the benchmarks that find a difference among five variants that have none, at a coefficient
// of variation where the rule stops at different numbers of blocks. The tolerance is 5% and 3 standard errors of a
// binomial proportion.
func TestFamilyWiseError(t *testing.T) {
	const benchmarks = 500
	rng := rand.New(rand.NewPCG(6, 7))
	wrong := 0
	for range benchmarks {
		_, holm := compare(t, world{rule: defaultRule, ratios: []float64{1, 1, 1, 1, 1}, cv: 0.025}.run(t, rng), defaultRule)
		if slices.Min(holm) < significance {
			wrong++
		}
	}
	limit := 0.05 + 3*math.Sqrt(0.05*0.95/benchmarks)
	if got := float64(wrong) / benchmarks; got > limit {
		t.Errorf("got %.2f%%, want at most %.2f%%", got*100, limit*100)
	}
}

// TestPower counts how often a variant that is 5% better than the reference is called so, beside four that are not,
// after 10 blocks with a coefficient of variation of 2%. The tolerance is 3 standard errors of a binomial proportion.
func TestPower(t *testing.T) {
	const benchmarks = 1000
	fixed := StoppingRule{Min: 10, Max: 10}
	rng := rand.New(rand.NewPCG(8, 9))
	found := 0
	for range benchmarks {
		comparisons, holm := compare(t, world{rule: fixed, ratios: []float64{1.05, 1, 1, 1, 1}, cv: 0.02}.run(t, rng), fixed)
		if Judge(comparisons[0], holm[0], 0.03, Maximize) == Better {
			found++
		}
	}
	limit := 0.95 - 3*math.Sqrt(0.95*0.05/benchmarks)
	if got := float64(found) / benchmarks; got < limit {
		t.Errorf("got %.2f%%, want at least %.2f%%", got*100, limit*100)
	}
}
