// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/api/v1alpha1"
)

func fiveVariants(reference string) []Variant {
	var variants []Variant
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		v := Variant{Name: name}
		if name != reference {
			v.Reference = reference
		}
		variants = append(variants, v)
	}
	return variants
}

func names(trials []Trial) []string {
	var out []string
	for _, t := range trials {
		name := t.Variant
		if t.Closing {
			name += "*"
		}
		out = append(out, name)
	}
	return out
}

func TestOrders(t *testing.T) {
	two := []Variant{{Name: "a"}, {Name: "b"}}
	tests := map[string]struct {
		plan Plan
		want []string
	}{
		"a single variant": {Plan{Variants: two[:1]}, []string{"a", "a"}},
		"interleaved": {Plan{Variants: two, Order: &Order{Kind: v1alpha1.OrderInterleaved}},
			[]string{"a", "b", "a", "b"}},
		"sequential": {Plan{Variants: two, Order: &Order{Kind: v1alpha1.OrderSequential}},
			[]string{"a", "a", "b", "b"}},
		"interleaved, with a reference": {
			Plan{Variants: fiveVariants("b")[:2], Order: &Order{Kind: v1alpha1.OrderInterleaved}}, []string{"a", "b", "a", "b"},
		},
		"randomized, with a reference": {
			Plan{Variants: fiveVariants("b")[:2], Order: &Order{Kind: v1alpha1.OrderRandomized}},
			[]string{"b", "a", "b*", "b", "a", "b*"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := trials(tt.plan, 2)
			if diff := cmp.Diff(tt.want, names(got)); diff != "" {
				t.Errorf("order (-want +got):\n%s", diff)
			}
			for i, trial := range got {
				if trial.Index != i {
					t.Errorf("trial %d has the index %d", i, trial.Index)
				}
			}
		})
	}
}

// Every repetition holds every variant once, in an order that depends on the seed and the repetition alone.
func TestRandomizedBlocks(t *testing.T) {
	p := Plan{Variants: fiveVariants(""), Order: &Order{Kind: v1alpha1.OrderRandomized, Seed: 7}}
	const repetitions = 50
	all := trials(p, repetitions)
	orders := map[string]bool{}
	for block := range slices.Chunk(names(all), len(p.Variants)) {
		if diff := cmp.Diff([]string{"a", "b", "c", "d", "e"}, slices.Sorted(slices.Values(block))); diff != "" {
			t.Fatalf("a repetition does not hold every variant once:\n%s", diff)
		}
		orders[cmp.Diff(nil, block)] = true
	}
	if len(orders) < repetitions/2 {
		t.Errorf("%d repetitions have only %d orders", repetitions, len(orders))
	}
	if diff := cmp.Diff(all[:20], trials(p, 4)); diff != "" {
		t.Errorf("the order depends on the number of repetitions:\n%s", diff)
	}
	p.Order.Seed = 8
	if slices.Equal(names(all), names(trials(p, repetitions))) {
		t.Error("the order does not depend on the seed")
	}
}

// No variant is measured earlier than the others on average: that is what the random order is for.
func TestRandomizedPositions(t *testing.T) {
	p := Plan{Variants: fiveVariants(""), Order: &Order{Kind: v1alpha1.OrderRandomized, Seed: 1}}
	const repetitions = 2000
	sum := map[string]int{}
	for i, name := range names(trials(p, repetitions)) {
		sum[name] += i % len(p.Variants)
	}
	// The mean position is 2, its standard deviation sqrt(2/2000) = 0.03.
	for name, total := range sum {
		if mean := float64(total) / repetitions; mean < 1.85 || mean > 2.15 {
			t.Errorf("variant %s comes at position %.2f on average, want 2", name, mean)
		}
	}
}

func TestSeedOfOrder(t *testing.T) {
	b := benchmark(t, onFiles)
	if got := order(b, 1); got != nil {
		t.Errorf("a single variant has the order %+v", got)
	}
	first := order(b, 2)
	other := b.DeepCopy()
	other.UID = "00000000-0000-4000-8000-000000000001"
	if second := order(other, 2); first.Kind != v1alpha1.OrderRandomized || first.Seed <= 0 || first.Seed == second.Seed {
		t.Errorf("orders are %+v and, of another benchmark, %+v", first, second)
	}
	b.Spec.Repetitions = &v1alpha1.RepetitionsSpec{Min: 1, Seed: new(int64(42))}
	if got := order(b, 2); got.Seed != 42 {
		t.Errorf("seed = %d, want 42", got.Seed)
	}
}
