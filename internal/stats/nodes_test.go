// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// insectSprays is R's data set of this name: the values of each spray are the logarithms of a node's ratios.
func insectSprays() []Series {
	var nodes []Series
	for _, counts := range [][]float64{
		{10, 7, 20, 14, 14, 12, 10, 23, 17, 20, 14, 13},
		{11, 17, 21, 11, 16, 14, 17, 17, 19, 21, 7, 13},
		{0, 1, 7, 2, 3, 1, 2, 1, 3, 0, 1, 4},
		{3, 5, 12, 6, 4, 3, 5, 5, 5, 5, 2, 4},
		{3, 5, 3, 5, 3, 6, 1, 1, 3, 2, 6, 4},
		{11, 9, 15, 22, 15, 16, 13, 10, 26, 26, 24, 13},
	} {
		nodes = append(nodes, ofOne(exponentials(counts)...))
	}
	return nodes
}

// ofOne are values with a reference of 1.
func ofOne(values ...float64) Series {
	s := Series{Values: values, Reference: make([]float64, len(values))}
	for i := range values {
		s.Reference[i] = 1
	}
	return s
}

// TestCompareNodes compares with R: oneway.test(count ~ spray, InsectSprays) prints p-value = 7.999e-12, and
// oneway.test(extra ~ group, sleep) p-value = 0.07939. The means of the sprays are 14.5, 15.333, 2.083, 4.917, 3.5 and
// 16.667: mean 9.5, standard error 2.7228, and 2.5706 times that is the half width of the interval; that of the next
// node is 2.6458 times wider, the square root of 7.
func TestCompareNodes(t *testing.T) {
	interval := func(low, high float64) Interval { return Interval{math.Exp(low), math.Exp(high)} }
	tests := map[string]struct {
		nodes []Series
		want  NodesComparison
	}{
		"none":              {nil, NodesComparison{P: 1}},
		"one":               {[]Series{ofOne(2, 3)}, NodesComparison{Nodes: 1, P: 1}},
		"one block each":    {[]Series{ofOne(2), ofOne(4)}, NodesComparison{Nodes: 2, P: 1}},
		"no blocks on one":  {[]Series{ofOne(2, 3), {}}, NodesComparison{Nodes: 1, P: 1}},
		"no scatter on one": {[]Series{ofOne(2, 2), ofOne(4, 5)}, NodesComparison{Nodes: 2, P: 1}},
		"sleep": {[]Series{ofOne(exponentials(sleep1)...), ofOne(exponentials(sleep2)...)},
			NodesComparison{Nodes: 2, P: 0.07939}},
		"insect sprays": {insectSprays(), NodesComparison{Nodes: 6, P: 7.999e-12, Ratio: math.Exp(9.5),
			Interval95: interval(2.501, 16.499), NextNode95: interval(-9.018, 28.018)}},
	}
	logarithmic := cmp.Transformer("logarithms", func(i Interval) [2]float64 {
		return [2]float64{math.Log(max(i.Low, 1e-300)), math.Log(max(i.High, 1e-300))}
	})
	for name, tt := range tests {
		got, err := CompareNodes(tt.nodes, StoppingRule{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(tt.want, got, logarithmic, cmpopts.EquateApprox(2e-4, 0)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestCompareNodesRefuses(t *testing.T) {
	for want, s := range map[error]Series{
		ErrBlocks:      {Values: []float64{1, 2}, Reference: []float64{1}},
		ErrNotPositive: {Values: []float64{0}, Reference: []float64{1}},
	} {
		if _, err := CompareNodes([]Series{ofOne(1, 2), s}, StoppingRule{}); !errors.Is(err, want) {
			t.Errorf("got %v, want %v", err, want)
		}
	}
}

// fleet makes up nodes whose true ratios scatter around 1 with the standard deviation between, on the logarithmic
// scale. Every second one, by chance, is three times as noisy.
func fleet(rng *rand.Rand, nodes, blocks int, between float64) []Series {
	all := make([]Series, 0, nodes)
	for range nodes {
		node := between * rng.NormFloat64()
		noise := 0.02 * float64(1+2*rng.IntN(2))
		values := make([]float64, 0, blocks)
		for range blocks {
			values = append(values, math.Exp(node+noise*rng.NormFloat64()))
		}
		all = append(all, ofOne(values...))
	}
	return all
}

// TestNodesBySimulation counts how often nodes with the same ratio are said to differ, and how often the intervals of
// five and more nodes hold the mean, and the ratio that one more node measures. The tolerance is 1% and 3 standard
// errors of a binomial proportion, and for the noisiest case 2%: unequal noise makes the intervals of few nodes too
// wide.
func TestNodesBySimulation(t *testing.T) {
	const benchmarks = 3000
	rng := rand.New(rand.NewPCG(21, 6))
	share := func(count int) float64 { return float64(count) / benchmarks }
	tolerance := 0.01 + 3*math.Sqrt(0.05*0.95/benchmarks)
	for _, nodes := range []int{2, 3, 4, 8} {
		differ := 0
		for range benchmarks {
			c, err := CompareNodes(fleet(rng, nodes, 6, 0), StoppingRule{})
			if err != nil {
				t.Fatal(err)
			}
			if c.P < significance {
				differ++
			}
		}
		t.Logf("%d equal nodes: said to differ in %.1f%%", nodes, share(differ)*100)
		if share(differ) > 0.05+tolerance {
			t.Errorf("%d equal nodes: said to differ in %.1f%%, want at most %.1f%%", nodes, share(differ)*100,
				(0.05+tolerance)*100)
		}
	}
	for _, between := range []float64{0, 0.02, 0.1} {
		for _, nodes := range []int{MinRandomNodes, 9} {
			mean, next, found := 0, 0, 0
			for range benchmarks {
				all := fleet(rng, nodes+1, 6, between)
				c, err := CompareNodes(all[:nodes], StoppingRule{})
				if err != nil {
					t.Fatal(err)
				}
				measured, err := Compare(all[nodes].Values, all[nodes].Reference, StoppingRule{})
				if err != nil {
					t.Fatal(err)
				}
				for _, held := range []struct {
					count *int
					is    bool
				}{{&mean, c.Interval95.holds(1)}, {&next, c.NextNode95.holds(measured.Ratio)}, {&found, c.P < significance}} {
					if held.is {
						*held.count++
					}
				}
			}
			t.Logf("%d nodes, scatter %.2f: mean held in %.1f%%, next node in %.1f%%; said to differ in %.1f%%", nodes, between,
				share(mean)*100, share(next)*100, share(found)*100)
			if !closeTo(share(mean), 0.95, tolerance+0.01) || between > 0.05 && !closeTo(share(next), 0.95, tolerance+0.01) {
				t.Errorf("%d nodes, scatter %.2f: mean held in %.1f%%, next node in %.1f%%, want 95%% +- %.1f%%", nodes, between,
					share(mean)*100, share(next)*100, (tolerance+0.01)*100)
			}
		}
	}
}
