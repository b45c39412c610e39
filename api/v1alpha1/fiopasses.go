// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"fmt"
	"slices"
	"strings"
)

// HasPasses says whether the workload runs more than once over its files.
func (w FioWorkload) HasPasses() bool { return w.Passes > 1 }

// ofPasses are the operations of some passes, in their order.
func (w FioWorkload) ofPasses(first, last int) []Operation {
	var all []Operation
	for pass := first; pass <= last; pass++ {
		for _, d := range []Operation{OperationRead, OperationWrite} {
			if w.RW == "" || w.RW.Does(d) {
				all = append(all, OperationOfPass(pass, d))
			}
		}
		if w.Fsync > 0 || w.Fdatasync > 0 {
			all = append(all, OperationOfPass(pass, OperationSync))
		}
	}
	return all
}

// DecisiveOperations are the operations that variants are compared by and that decide when repetitions end: all
// operations of a workload, but with several passes only the first and the last pass. To test the passes in between as
// well would make each verdict less certain. For the same reason fio's syncs do not count: there are as many per second
// as the writes allow.
func (w Workload) DecisiveOperations() []Operation {
	if w.Fio == nil {
		return w.Operations()
	}
	all := w.Operations()
	if w.Fio.HasPasses() {
		last := int(w.Fio.Passes)
		all = append(w.Fio.ofPasses(1, 1), w.Fio.ofPasses(last, last)...)
	}
	return slices.DeleteFunc(all, isSync)
}

// RecordedOperations are those that thresholds can bound: the decisive ones, and fio's syncs.
func (w Workload) RecordedOperations() []Operation {
	decisive := w.DecisiveOperations()
	if w.Fio == nil {
		return decisive
	}
	return slices.DeleteFunc(w.Operations(), func(o Operation) bool { return !slices.Contains(decisive, o) && !isSync(o) })
}

// isSync says whether one of the operations of fio is that of fsync or fdatasync. The names of jobs are in lower case.
func isSync(o Operation) bool { return o == OperationSync || strings.HasSuffix(string(o), "Sync") }

// Passes is how often the workload runs, each time with a sample of its own: 1 unless it says otherwise.
func (w Workload) Passes() int {
	if w.Fio == nil {
		return 1
	}
	return max(1, int(w.Fio.Passes))
}

// MostRuns is how often the tool runs at most: its passes, or its rounds.
func (w Workload) MostRuns() int {
	if w.Fio != nil && w.Fio.SteadyState != nil {
		return int(w.Fio.SteadyState.WithDefaults().Rounds)
	}
	return w.Passes()
}

// OperationOfPass is the name of an operation in a pass, for example pass2Read. Passes count from 1.
func OperationOfPass(pass int, d Operation) Operation {
	return OperationOfJob(fmt.Sprintf("pass%d", pass), d)
}
