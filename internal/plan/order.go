// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
	"slices"

	"k8s.io/utils/ptr"

	"zfsbench.io/operator/api/v1alpha1"
)

// order is the spec's order, nil for a single variant. Without a seed in the spec, the seed comes from the benchmark's
// UID: every benchmark then has its own order, and a restarted manager gets the same one.
func order(b *v1alpha1.ZfsBenchmark, variants int) *Order {
	if variants < 2 {
		return nil
	}
	o := &Order{Kind: v1alpha1.OrderRandomized}
	if r := b.Spec.Repetitions; r != nil && r.Order != "" {
		o.Kind = r.Order
	}
	if o.Kind != v1alpha1.OrderRandomized {
		return o
	}
	sum := sha256.Sum256([]byte(b.UID))
	o.Seed = int64(binary.BigEndian.Uint64(sum[:]) >> 11) // what a JSON number holds exactly
	if r := b.Spec.Repetitions; r != nil {
		o.Seed = ptr.Deref(r.Seed, o.Seed)
	}
	return o
}

// trials are all trials of a plan in their order; confirming repetitions are last. Unless the order is sequential they
// come repetition by repetition, so that a benchmark that ends early has measured all variants about equally often.
func trials(p Plan, repetitions int) []Trial {
	var ordered []Trial
	add := func(variant string, repetition int, closing bool) {
		ordered = append(ordered, Trial{Index: len(ordered), Variant: variant, Repetition: repetition, Closing: closing})
	}
	if p.Order != nil && p.Order.Kind == v1alpha1.OrderSequential {
		for _, v := range p.Variants {
			for repetition := 1; repetition <= repetitions; repetition++ {
				add(v.Name, repetition, false)
			}
		}
		return ordered
	}
	anchor := p.Anchor()
	for repetition := 1; repetition <= repetitions+p.ConfirmingRepetitions; repetition++ {
		for _, name := range block(p, anchor, repetition) {
			add(name, repetition, false)
		}
		if anchor != "" {
			add(anchor, repetition, true)
		}
	}
	return ordered
}

// Anchor is the variant that begins and ends each repetition: the first reference, if the order is random; otherwise
// none.
func (p Plan) Anchor() string {
	if p.Order == nil || p.Order.Kind != v1alpha1.OrderRandomized {
		return ""
	}
	return p.Reference()
}

// Reference is the first variant that others are compared with; empty if there is none.
func (p Plan) Reference() string {
	references := p.References()
	for _, v := range p.Variants {
		if references[v.Name] {
			return v.Name
		}
	}
	return ""
}

// References are the names of all variants that others are compared with.
func (p Plan) References() map[string]bool {
	references := map[string]bool{}
	for _, v := range p.Variants {
		if v.Reference != "" {
			references[v.Reference] = true
		}
	}
	return references
}

// block is every variant once, in the order of one repetition. Each repetition has a permutation of its own, which does
// not depend on how many there are.
func block(p Plan, anchor string, repetition int) []string {
	names := make([]string, 0, len(p.Variants))
	for _, v := range p.Variants {
		if v.Name != anchor {
			names = append(names, v.Name)
		}
	}
	if p.Order != nil && p.Order.Kind == v1alpha1.OrderRandomized {
		random := rand.New(rand.NewPCG(uint64(p.Order.Seed), uint64(repetition)))
		random.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	}
	if anchor != "" {
		names = slices.Insert(names, 0, anchor)
	}
	return names
}
