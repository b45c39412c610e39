// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"
	"regexp"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/spec/matrix"
	"zfsbench.io/operator/internal/text/fields"
)

const (
	maxRepetitions = 1000
	// MinConfirming is the least number of repetitions that confirm: a distribution-free 95% interval of a median needs so many.
	MinConfirming = 6
	// MaxConfirming is the most.
	MaxConfirming = 100
	// leastBeforeStopping is from where on the intervals hold what they promise although they decide when to stop: docs/statistics.md.
	leastBeforeStopping = 6
	// maxTrials bounds the plan of a node.
	maxTrials = 10000
	// MaxResultsBytes is what all results of a node may take.
	MaxResultsBytes = 32 << 20
	// leastTrialBytes and leastSampleBytes are what the result of a trial, and each of its samples, need at least: facts, argv and job file, without histograms.
	// Each of several jobs needs as much as a sample.
	leastTrialBytes  = 2 << 10
	leastSampleBytes = 1 << 10
	// maxReference is the longest name of a variant.
	maxReference = 253
)

// referenceText is the name of a variant, or axis=value pairs.
var referenceText = regexp.MustCompile(`^([A-Za-z0-9]([-A-Za-z0-9._+]*[A-Za-z0-9])?|` +
	`[a-z0-9]([-a-z0-9]*[a-z0-9])?=[A-Za-z0-9]([-A-Za-z0-9._+]*[A-Za-z0-9])?(,[a-z0-9]([-a-z0-9]*[a-z0-9])?=[A-Za-z0-9]([-A-Za-z0-9._+]*[A-Za-z0-9])?)*)$`)

// repetitions checks them by themselves; trials checks what they come to.
func repetitions(r *v1alpha1.RepetitionsSpec, path *field.Path) field.ErrorList {
	if r == nil {
		return nil
	}
	errs := fields.Between(r.Min, 1, maxRepetitions, path.Child("min"))
	errs = append(errs, fields.OptionalBetween(r.Max, 1, maxRepetitions, path.Child("max"))...)
	most := ptr.Deref(r.Max, r.Min)
	if most < r.Min {
		errs = append(errs, field.Invalid(path.Child("max"), most, "max must be at least min"))
	}
	if most > r.Min && r.Min < leastBeforeStopping {
		errs = append(errs, field.Invalid(path.Child("min"), r.Min, "min must be at least 6 with max above it: fewer repetitions are too easily alike by chance, "+
			"and intervals that decide when to stop then promise too much"))
	}
	at := path.Child("targetRelativeError")
	if r.TargetRelativeError != "" && r.Max == nil {
		errs = append(errs, field.Invalid(at, r.TargetRelativeError, "targetRelativeError needs max: without it the number of repetitions is min"))
	}
	errs = append(errs, percentage(r.TargetRelativeError, at)...)
	at = path.Child("order")
	errs = append(errs, fields.OneOf(r.Order, at, v1alpha1.OrderRandomized, v1alpha1.OrderInterleaved, v1alpha1.OrderSequential)...)
	if r.Order == v1alpha1.OrderSequential && most != r.Min {
		errs = append(errs, field.Invalid(at, r.Order, "order Sequential has no complete blocks to stop after: remove max, or use Randomized or Interleaved"))
	}
	at = path.Child("freshPool")
	errs = append(errs, fields.OneOf(r.FreshPool, at, v1alpha1.FreshPoolPerRepetition, v1alpha1.FreshPoolPerVariant)...)
	if r.FreshPool == v1alpha1.FreshPoolPerVariant && r.Order != v1alpha1.OrderSequential {
		errs = append(errs, field.Invalid(at, r.FreshPool, "freshPool PerVariant needs order Sequential, in which the repetitions of a variant follow each other"))
	}
	errs = append(errs, fields.OptionalBetween(r.Confirm, MinConfirming, MaxConfirming, path.Child("confirm"))...)
	if r.Confirm != nil && r.Order == v1alpha1.OrderSequential {
		errs = append(errs, field.Invalid(path.Child("confirm"), *r.Confirm, "order Sequential has no repetitions that could confirm a winner: use Randomized or Interleaved"))
	}
	if r.Seed != nil && *r.Seed < 0 {
		errs = append(errs, field.Invalid(path.Child("seed"), *r.Seed, "should be greater than or equal to 0"))
	}
	return errs
}

// trials checks that what all variants and repetitions come to is not too much, and that its results fit into what the API stores.
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
		return field.ErrorList{field.Invalid(at.Child("confirm"), *r.Confirm, "a winner is confirmed against its reference: name one in spec.comparison.reference")}
	}
	n := perRepetition * repetitions
	switch each := leastTrialBytes + leastSampleBytes*Samples(s.Workloads); {
	case n > maxTrials:
		return field.ErrorList{field.Invalid(at, n, fmt.Sprintf("%s trials in each of %s repetitions are %s, which must be at most %s",
			matrix.Grouped(perRepetition), matrix.Grouped(repetitions), matrix.Grouped(n), matrix.Grouped(maxTrials)))}
	case n > MaxResultsBytes/each:
		return field.ErrorList{field.Invalid(at, n, fmt.Sprintf("%s trials of %d workloads each, which must be at most %s, or their results do not fit into 32 MiB",
			matrix.Grouped(n), len(s.Workloads), matrix.Grouped(MaxResultsBytes/each)))}
	}
	return nil
}

// comparison checks how it is written; whether there is such a reference is for the matrix to say.
func comparison(c *v1alpha1.ComparisonSpec, path *field.Path) field.ErrorList {
	if c == nil {
		return nil
	}
	var errs field.ErrorList
	at := path.Child("reference")
	switch {
	case len(c.Reference) > maxReference:
		errs = append(errs, field.TooLong(at, c.Reference, maxReference))
	case c.Reference != "" && !referenceText.MatchString(c.Reference):
		errs = append(errs, field.Invalid(at, c.Reference, "reference must be the name of a variant, or axis=value for some of the axes, for example layout=stripe"))
	}
	return append(errs, percentage(c.Margin, path.Child("margin"))...)
}

// percentage accepts none at all.
func percentage(p v1alpha1.Percentage, path *field.Path) field.ErrorList {
	if _, err := p.Fraction(); p != "" && err != nil {
		return field.ErrorList{field.Invalid(path, p, "must be more than 0% and less than 100%, for example 2.5%")}
	}
	return nil
}

// Samples are those of a trial, one for each pass, with their jobs, and the rounds of those that have some.
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
