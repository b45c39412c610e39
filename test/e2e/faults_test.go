// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"zfsbench.io/operator/hack/faulttable/table"
)

// faultSample is how many cases of the fault table run unless ZFSBENCH_E2E_FAULTS says another number, or all. They are
// drawn with defaultSeed unless ZFSBENCH_E2E_SEED says another: the first cases of this one need no reboot and no
// outage, which take minutes.
const faultSample, defaultSeed = 3, 18

// faultCase injects one fault at one point of one subject.
type faultCase struct {
	subject subject
	point   faultPoint
	fault   fault
}

func (c faultCase) id() table.Case {
	return table.Case{Subject: c.subject.name, Point: c.point.name, Kind: c.fault.name}
}

// likeliest is the case that is always drawn.
func likeliest() table.Case {
	return table.Case{Subject: subjectPool, Point: "during fio", Kind: "runner killed"}
}

// TestFaults injects faults into the second repetition of a benchmark. Afterwards the benchmark is complete, gone, or
// failed for the true reason; the first repetition is neither lost nor run again; nothing of ours is left; and a pool
// and a file of somebody else on the same node are as before. A loss is a case in which any of that does not hold. The
// last line counts both. With ZFSBENCH_E2E_FAULT_LOG=FILE each case leaves a row there, and cases that passed with the
// same code do not run again.
func TestFaults(t *testing.T) {
	cases, chosen := chooseFaults(t)
	if len(cases) == 0 {
		t.Skip("ZFSBENCH_E2E_FAULTS asks for no case")
	}
	log := openFaultLog(t)
	world := newFaultWorld(t)
	ran, losses := 0, 0
	for _, c := range cases {
		if log.passed(c.id()) {
			continue
		}
		if log.isTimeUp() {
			fmt.Println("the shard's time is up; run it again for the rest")
			break
		}
		before, began, outcome := ran, time.Now(), "the test did not get to the end of the benchmark"
		passed := t.Run(c.id().Name(), func(t *testing.T) {
			ran++
			world.run(t, c, &outcome)
		})
		if ran == before { // -run asks for others
			continue
		}
		verdict := "as promised"
		if !passed {
			losses++
			verdict = "LOSS"
		}
		took := time.Since(began)
		fmt.Printf("fault %d: %s: %s (%s, %.0fs)\n", ran, c.id().Name(), verdict, outcome, took.Seconds())
		log.add(t, c.id(), outcome, passed, took)
	}
	if ran < len(cases) {
		chosen = fmt.Sprintf("of %d", len(cases))
	}
	fmt.Printf("fault table: %d cases (%s), %d losses\n", ran, chosen, losses)
}

// allFaults are all cases that can run here.
func allFaults() []faultCase {
	var cases []faultCase
	for _, s := range subjects() {
		for _, p := range s.points {
			for _, f := range faults() {
				if s.meets(p, f) {
					cases = append(cases, faultCase{subject: s, point: p, fault: f})
				}
			}
		}
	}
	return cases
}

// chooseFaults returns all cases, or some, drawn with a seed that is told.
func chooseFaults(t *testing.T) (chosen []faultCase, which string) {
	t.Helper()
	cases := allFaults()
	wanted := os.Getenv("ZFSBENCH_E2E_FAULTS")
	if wanted == "all" {
		return cases, "all"
	}
	n, seed := number(t, wanted, faultSample), seedOfCases(t)
	byID := map[table.Case]faultCase{}
	var ids []table.Case
	for _, c := range cases {
		byID[c.id()] = c
		ids = append(ids, c.id())
	}
	for _, id := range table.Draw(ids, likeliest(), uint64(seed))[:min(n, len(cases))] {
		chosen = append(chosen, byID[id])
	}
	return chosen, fmt.Sprintf("seed %d", seed)
}

// seedOfCases is the seed that the cases of a run are drawn with.
func seedOfCases(t *testing.T) int {
	t.Helper()
	return number(t, os.Getenv("ZFSBENCH_E2E_SEED"), defaultSeed)
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
