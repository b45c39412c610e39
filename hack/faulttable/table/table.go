// SPDX-License-Identifier: Apache-2.0

// Package table is what is known of the fault table without a cluster: its cases, the order in which some are drawn,
// and the rows that a run leaves behind.
package table

import (
	"math/rand/v2"
	"slices"
	"time"
)

// Case is one fault at one point in the life of a subject's runner.
type Case struct {
	// Subject is what the benchmark measures or does: a pool, an md array, a claimed volume, an operation on a pool.
	Subject string `json:"subject"`
	Point   string `json:"point"`
	// Kind is the fault.
	Kind string `json:"kind"`
}

// Name is the name of the case, as tests are selected by it.
func (c Case) Name() string { return c.Kind + " " + c.Point }

// Row is what became of a case.
type Row struct {
	Case
	// Name is the case's.
	Name string `json:"case"`
	// Outcome is how the benchmark ended: complete, gone, or failed with a reason.
	Outcome string `json:"outcome"`
	// Losses is 0 if everything was as promised, otherwise 1.
	Losses  int     `json:"losses"`
	Seconds float64 `json:"seconds"`
	Code
	// Cases is how many cases the table had in this run: without the CSI driver it has fewer.
	Cases int       `json:"cases"`
	Time  time.Time `json:"time"`
}

// Draw returns the cases in an order that a seed decides, in which each subject comes once before any comes again, then
// each fault. The first case stays first.
func Draw(cases []Case, first Case, seed uint64) []Case {
	left := slices.Clone(cases)
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(left), func(i, j int) { left[i], left[j] = left[j], left[i] })
	subjects, kinds := map[string]int{}, map[string]int{}
	rank := func(c Case) int {
		if c == first {
			return -1
		}
		return subjects[c.Subject]*len(cases) + kinds[c.Kind]
	}
	order := make([]Case, 0, len(left))
	for len(left) > 0 {
		next := 0
		for i, c := range left {
			if rank(c) < rank(left[next]) {
				next = i
			}
		}
		c := left[next]
		subjects[c.Subject]++
		kinds[c.Kind]++
		order, left = append(order, c), slices.Delete(left, next, next+1)
	}
	return order
}
