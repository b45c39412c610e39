// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The benchmarks print the figures of docs/statistics.md. One iteration is one simulated benchmark, counted, so a
// figure of p% has a standard error of sqrt(p (100 - p) / iterations)%: -benchtime=10000x gives 0.2% at 95%.

// percent reports the share of iterations.
func percent(b *testing.B, count int, unit string) {
	b.Helper()
	b.ReportMetric(100*float64(count)/float64(b.N), unit+"-%")
}

// alone simulates one variant without a reference and reports how often its interval holds the true value.
func alone(b *testing.B, w world, truth float64) {
	b.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	calibrated, student, blocks := 0, 0, 0
	for b.Loop() {
		values := w.run(b, rng)[0].Values
		blocks += len(values)
		if summarize(b, values, w.rule).Interval95.holds(truth) {
			calibrated++
		}
		if summarize(b, values, StoppingRule{}).Interval95.holds(truth) {
			student++
		}
	}
	percent(b, calibrated, "calibrated")
	percent(b, student, "student")
	b.ReportMetric(float64(blocks)/float64(b.N), "blocks")
}

func BenchmarkCoverage(b *testing.B) {
	for _, cv := range []float64{1, 2, 3, 3.5, 4, 4.5, 5, 6, 8, 10} {
		b.Run(fmt.Sprintf("CV=%v%%", cv), func(b *testing.B) { alone(b, world{rule: defaultRule, cv: cv / 100}, 1) })
	}
}

// BenchmarkCoverageOfOtherRules looks at rules other than the default one, at the coefficients of variation where they
// decide.
func BenchmarkCoverageOfOtherRules(b *testing.B) {
	for _, blocks := range [][2]int{{3, 15}, {5, 10}, {6, 30}, {6, 100}, {10, 30}} {
		for _, cv := range []float64{2.5, 3.5, 4.5, 6} {
			rule := StoppingRule{Min: blocks[0], Max: blocks[1], TargetRelativeError: 0.025}
			b.Run(fmt.Sprintf("min=%d/max=%d/CV=%v%%", rule.Min, rule.Max, cv), func(b *testing.B) {
				alone(b, world{rule: rule, cv: cv / 100}, 1)
			})
		}
	}
}

// BenchmarkCoverageOfOtherNoise looks at repetitions that are not normal on the logarithmic scale, or not independent.
func BenchmarkCoverageOfOtherNoise(b *testing.B) {
	last := 0.0
	noises := []struct {
		name  string
		noise func(*rand.Rand) float64
		// mean is the mean of the noise: the true value of the geometric mean's logarithm.
		mean float64
	}{
		{"heavy=t3", func(r *rand.Rand) float64 {
			squares := 0.0
			for range 3 {
				squares += math.Pow(r.NormFloat64(), 2)
			}
			return r.NormFloat64() / math.Sqrt(squares)
		}, 0},
		{"skewed=exponential", func(r *rand.Rand) float64 { return 1 - r.ExpFloat64() }, 0},
		{"slow=one-in-20-by-5-sd", func(r *rand.Rand) float64 {
			if r.Float64() < 0.05 {
				return r.NormFloat64() - 5
			}
			return r.NormFloat64()
		}, -0.25},
		{"correlated=0.5", func(r *rand.Rand) float64 {
			last = 0.5*last + math.Sqrt(0.75)*r.NormFloat64()
			return last
		}, 0},
	}
	for _, n := range noises {
		for _, cv := range []float64{2, 4.5, 10} {
			truth := math.Exp(n.mean * math.Sqrt(math.Log1p(cv*cv/1e4)))
			b.Run(fmt.Sprintf("%s/CV=%v%%", n.name, cv), func(b *testing.B) {
				alone(b, world{rule: defaultRule, cv: cv / 100, noise: n.noise}, truth)
			})
		}
	}
}

// BenchmarkMedianInterval is how often the interval of the median, which is not calibrated, holds the true one.
func BenchmarkMedianInterval(b *testing.B) {
	for _, cv := range []float64{1, 3.5, 4.5, 10} {
		b.Run(fmt.Sprintf("CV=%v%%", cv), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(9, 10))
			held := 0
			for b.Loop() {
				held += one(medianInterval(world{rule: defaultRule, cv: cv / 100}.run(b, rng)[0].Values).holds(1))
			}
			percent(b, held, "median")
		})
	}
}

// BenchmarkFamily simulates variants that are the reference: the coverage of their ratios, of the first one's own
// summary and of the reference's, and how many benchmarks find any difference that is not there. The more variants
// there are, the less the scatter of each decides when to stop.
func BenchmarkFamily(b *testing.B) {
	for _, tt := range []struct {
		variants int
		cvs      []float64
	}{{5, []float64{1, 2, 2.5, 3, 4, 6, 10}}, {1, []float64{2, 3}}, {20, []float64{2, 2.5}}} {
		for _, cv := range tt.cvs {
			w := world{rule: defaultRule, ratios: slices.Repeat([]float64{1}, tt.variants), cv: cv / 100}
			b.Run(fmt.Sprintf("variants=%d/CV=%v%%", tt.variants, cv), func(b *testing.B) { family(b, w) })
		}
	}
}

func family(b *testing.B, w world) {
	b.Helper()
	rng := rand.New(rand.NewPCG(3, 4))
	ratio, own, reference, significant, called, equivalent, blocks := 0, 0, 0, 0, 0, 0, 0
	for b.Loop() {
		all := w.run(b, rng)
		comparisons, holm := compare(b, all, w.rule)
		blocks += len(all[0].Values)
		own += one(summarize(b, all[0].Values, w.rule).Interval95.holds(1))
		reference += one(summarize(b, all[0].Reference, w.rule).Interval95.holds(1))
		anyCalled := false
		for i, c := range comparisons {
			ratio += one(c.Interval95.holds(1))
			verdict := Judge(c, holm[i], 0.03, Maximize)
			equivalent += one(verdict == Equivalent)
			anyCalled = anyCalled || verdict == Better || verdict == Worse
		}
		significant += one(slices.Min(holm) < significance)
		called += one(anyCalled)
	}
	b.ReportMetric(100*float64(ratio)/float64(b.N*len(w.ratios)), "ratio-%")
	b.ReportMetric(100*float64(equivalent)/float64(b.N*len(w.ratios)), "equivalent-%")
	percent(b, own, "variant")
	percent(b, reference, "reference")
	percent(b, significant, "holm")
	percent(b, called, "called")
	b.ReportMetric(float64(blocks)/float64(b.N), "blocks")
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// BenchmarkPower is how often a variant that is 5% better than the reference is found among five, at a coefficient of
// variation of 2%.
func BenchmarkPower(b *testing.B) {
	fixed := StoppingRule{Min: 10, Max: 10, TargetRelativeError: 0.025}
	for _, tt := range []struct {
		name   string
		rule   StoppingRule
		ratios []float64
	}{
		{"n=10/one-of-five", fixed, []float64{1.05, 1, 1, 1, 1}},
		{"n=10/all-five", fixed, []float64{1.05, 1.05, 1.05, 1.05, 1.05}},
		{"min=6/max=15/one-of-five", defaultRule, []float64{1.05, 1, 1, 1, 1}},
	} {
		b.Run(tt.name, func(b *testing.B) { power(b, world{rule: tt.rule, ratios: tt.ratios, cv: 0.02}) })
	}
}

func power(b *testing.B, w world) {
	b.Helper()
	rng := rand.New(rand.NewPCG(5, 6))
	found, judged, blocks := 0, 0, 0
	for b.Loop() {
		all := w.run(b, rng)
		comparisons, holm := compare(b, all, w.rule)
		blocks += len(all[0].Values)
		found += one(holm[0] < significance)
		judged += one(Judge(comparisons[0], holm[0], 0.03, Maximize) == Better)
	}
	percent(b, found, "holm")
	percent(b, judged, "better")
	b.ReportMetric(float64(blocks)/float64(b.N), "blocks")
}

// BenchmarkWrongEquivalence is how often a variant whose true ratio is just at the margin is called equivalent, which
// it no longer is.
func BenchmarkWrongEquivalence(b *testing.B) {
	for _, cv := range []float64{1, 1.5, 2, 3} {
		b.Run(fmt.Sprintf("CV=%v%%", cv), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(11, 12))
			wrong := 0
			for b.Loop() {
				comparisons, holm := compare(b, world{rule: defaultRule, ratios: []float64{1.03}, cv: cv / 100}.run(b, rng),
					defaultRule)
				wrong += one(Judge(comparisons[0], holm[0], 0.03, Maximize) == Equivalent)
			}
			percent(b, wrong, "wrong")
		})
	}
}

// BenchmarkOutliers is how many benchmarks have a normal repetition flagged.
func BenchmarkOutliers(b *testing.B) {
	for _, n := range []int{4, 6, 10, 15} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(7, 8))
			flagged := 0
			for b.Loop() {
				flagged += one(len(Outliers(world{rule: StoppingRule{Min: n, Max: n}, cv: 0.02}.run(b, rng)[0].Values)) > 0)
			}
			percent(b, flagged, "flagged")
		})
	}
}
