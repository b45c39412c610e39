// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/spec/matrix"
)

const (
	// MinConfirming is the smallest number of confirming repetitions: a distribution-free 95% interval of a median needs
	// this many.
	MinConfirming = 6
	// MaxConfirming is the largest number of confirming repetitions.
	MaxConfirming = 100
	// maxTrials limits the trials in the plan of a node.
	maxTrials = 10000
	// MaxResultsBytes limits the size of all results of a node.
	MaxResultsBytes = 32 << 20
	// leastTrialBytes and leastSampleBytes are the smallest sizes of a trial's result and of each of its samples: facts,
	// argv and job file, without histograms. With several jobs, each job takes as much as a sample.
	leastTrialBytes  = 2 << 10
	leastSampleBytes = 1 << 10
)

// trials checks that variants times repetitions are not too many trials, and that the results fit into what the API
// stores.
func trials(expanded []matrix.Variant, s v1alpha1.ZfsBenchmarkSpec, path *field.Path) field.ErrorList {
	at, repetitions, order := path.Child("matrix"), 1, v1alpha1.OrderRandomized
	if r := s.Repetitions; r != nil {
		at, repetitions, order = path.Child("repetitions"), int(ptr.Deref(r.Max, r.Min)+ptr.Deref(r.Confirm, 0)), r.Order
	}
	perRepetition := len(expanded)
	compared := slices.ContainsFunc(expanded, func(v matrix.Variant) bool { return v.Reference != "" })
	if order == v1alpha1.OrderRandomized && compared {
		// The reference variant closes each repetition.
		perRepetition++
	}
	if r := s.Repetitions; r != nil && r.Confirm != nil && !compared {
		return field.ErrorList{field.Invalid(at.Child("confirm"), *r.Confirm, "a winner is confirmed against its "+
			"reference: name one in spec.comparison.reference")}
	}
	n := perRepetition * repetitions
	switch each := leastTrialBytes + leastSampleBytes*Samples(s.Workloads); {
	case n > maxTrials:
		return field.ErrorList{field.Invalid(at, n, fmt.Sprintf("%s trials in each of %s repetitions are %s, which must "+
			"be at most %s",
			matrix.Grouped(perRepetition), matrix.Grouped(repetitions), matrix.Grouped(n), matrix.Grouped(maxTrials)))}
	case n > MaxResultsBytes/each:
		return field.ErrorList{field.Invalid(at, n, fmt.Sprintf("%s trials of %d workloads each, which must be at most "+
			"%s, or their results do not fit into 32 MiB",
			matrix.Grouped(n), len(s.Workloads), matrix.Grouped(MaxResultsBytes/each)))}
	}
	return nil
}

// Samples is the number of samples of a trial: one for each pass and each job, and the rounds of workloads that have
// rounds.
func Samples(ws []v1alpha1.Workload) int {
	n := passes(ws)
	for _, w := range ws {
		if w.Fio != nil {
			n += len(w.Fio.Jobs)
			if w.Fio.SteadyState != nil {
				n++ // for its rounds
			}
		}
	}
	return n
}
