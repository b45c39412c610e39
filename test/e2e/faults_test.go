// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// faultSample is how many cases of the fault table run unless ZFSBENCH_E2E_FAULTS says another number, or all, or a part: 1/3 is the first of three. They are drawn with
// defaultSeed unless ZFSBENCH_E2E_SEED says another: the first cases of this one need no reboot and no outage, which take minutes.
const faultSample, defaultSeed = 3, 7

// faultCase injects one fault at one point.
type faultCase struct {
	point faultPoint
	fault fault
}

func (c faultCase) name() string { return c.fault.name + " " + c.point.name }

// TestFaults injects faults into the second repetition of a benchmark. Afterwards the benchmark is complete, gone, or failed for the true reason; the first repetition is
// neither lost nor run again; nothing of ours is left; and a pool and a file of somebody else on the same node are as before. A loss is a case in which any of that does
// not hold. The last line counts both.
func TestFaults(t *testing.T) {
	cases, chosen := chooseFaults(t)
	if len(cases) == 0 {
		t.Skip("ZFSBENCH_E2E_FAULTS asks for no case")
	}
	world := newFaultWorld(t)
	ran, losses := 0, 0
	for _, c := range cases {
		before, began := ran, time.Now()
		passed := t.Run(c.name(), func(t *testing.T) {
			ran++
			world.run(t, c)
		})
		switch {
		case ran == before: // -run asks for others
		case passed:
			fmt.Printf("fault %d: %s: as promised (%.0fs)\n", ran, c.name(), time.Since(began).Seconds())
		default:
			losses++
			fmt.Printf("fault %d: %s: LOSS (%.0fs)\n", ran, c.name(), time.Since(began).Seconds())
		}
	}
	fmt.Printf("fault table: %d cases (%s), %d losses\n", ran, chosen, losses)
}

// chooseFaults returns all cases, or some, drawn with a seed that is told.
func chooseFaults(t *testing.T) (cases []faultCase, chosen string) {
	t.Helper()
	for _, p := range faultPoints() {
		for _, f := range faults() {
			if p.pool || !f.inPool {
				cases = append(cases, faultCase{point: p, fault: f})
			}
		}
	}
	wanted := os.Getenv("ZFSBENCH_E2E_FAULTS")
	if wanted == "all" {
		return cases, "all"
	}
	if part, parts, found := strings.Cut(wanted, "/"); found {
		return everyNth(cases, number(t, part, 0)-1, number(t, parts, 0)), "part " + wanted
	}
	n, seed := number(t, wanted, faultSample), seedOfCases(t)
	shuffle(cases, seed)
	// The most likely case is always drawn; then each fault once before any of them a second time.
	drawn := map[string]int{"runner killed": 1}
	rank := map[string]int{}
	for _, c := range cases {
		drawn[c.fault.name]++
		rank[c.name()] = drawn[c.fault.name]
	}
	rank["runner killed during fio"] = 0
	slices.SortStableFunc(cases, func(a, b faultCase) int { return rank[a.name()] - rank[b.name()] })
	return cases[:min(n, len(cases))], fmt.Sprintf("seed %d", seed)
}

// seedOfCases is the seed that the cases of a run are drawn with.
func seedOfCases(t *testing.T) int {
	t.Helper()
	return number(t, os.Getenv("ZFSBENCH_E2E_SEED"), defaultSeed)
}

// shuffle puts what cases are drawn from into the order of a seed.
func shuffle[T any](cases []T, seed int) {
	rand.New(rand.NewPCG(uint64(seed), 0)).Shuffle(len(cases), func(i, j int) { cases[i], cases[j] = cases[j], cases[i] })
}

// everyNth is one of n parts of the table, from 0, which together are all of it.
func everyNth(cases []faultCase, part, n int) []faultCase {
	var chosen []faultCase
	for i, c := range cases {
		if n > 0 && i%n == part {
			chosen = append(chosen, c)
		}
	}
	return chosen
}

func number(t *testing.T, text string, otherwise int) int {
	t.Helper()
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		t.Fatalf("%q is no number of fault cases or seed", text)
	}
	return n
}
