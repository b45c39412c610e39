// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"fmt"
	"time"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/validate"
)

// DefaultVariant is the name of the only variant of a benchmark that varies nothing.
const DefaultVariant = "default"

// Input is everything a plan is made from.
type Input struct {
	// Benchmark is valid; Build sets its defaults in a copy.
	Benchmark *v1alpha1.ZfsBenchmark
	Node      Node
	Policies  []v1alpha1.BenchmarkDevicePolicy
	Defaults  Defaults
}

// Defaults are what a plan takes where neither benchmark nor policy says otherwise.
type Defaults struct {
	Scratch Scratch
}

// Build expands a benchmark for one node. The same input gives the same plan. Without consent for every device the error is a *ConsentError; for a
// plan that no ConfigMap holds it is ErrTooLarge.
func Build(in Input) (Plan, error) {
	b := in.Benchmark.DeepCopy()
	validate.Defaults(b)
	granted, err := Consent(b, in.Node, in.Policies, in.Defaults)
	if err != nil {
		return Plan{}, fmt.Errorf("plan for node %s: %w", in.Node.Name, err)
	}
	p := Plan{
		Version:   Version,
		Benchmark: Benchmark{Namespace: b.Namespace, Name: b.Name, UID: string(b.UID)},
		Node:      in.Node,
		DryRun:    b.Spec.DryRun,
		Scratch:   granted.Scratch,
		Devices:   granted.Devices,
		Variants:  []Variant{variant(b.Spec)},
		Workloads: b.Spec.Workloads,
	}
	p.Trials = trials(p.Variants, repetitions(b.Spec))
	p.TimeoutSeconds = int64(timeout(b.Spec, p, granted.MaxTimeout) / time.Second)
	if err := check(p); err != nil {
		return Plan{}, fmt.Errorf("plan for node %s: %w", in.Node.Name, err)
	}
	if len(Encode(p)) > maxBytes {
		return Plan{}, fmt.Errorf("plan for node %s: %d trials: %w", in.Node.Name, len(p.Trials), ErrTooLarge)
	}
	return p, nil
}

// variant is the target that the spec describes itself.
func variant(spec v1alpha1.ZfsBenchmarkSpec) Variant {
	v := Variant{Name: DefaultVariant, Dataset: v1alpha1.DatasetSpec{Type: v1alpha1.DatasetFilesystem}}
	if spec.Pool != nil {
		v.Pool = *spec.Pool
	}
	if spec.Dataset != nil {
		v.Dataset = *spec.Dataset
	}
	return v
}

func repetitions(spec v1alpha1.ZfsBenchmarkSpec) int {
	if spec.Repetitions == nil {
		return 1
	}
	return max(1, int(spec.Repetitions.Min))
}

// trials orders repetition by repetition, so that a benchmark that ends early has measured every variant about equally often.
func trials(variants []Variant, repetitions int) []Trial {
	var ordered []Trial
	for repetition := 1; repetition <= repetitions; repetition++ {
		for _, v := range variants {
			ordered = append(ordered, Trial{Index: len(ordered), Variant: v.Name, Repetition: repetition})
		}
	}
	return ordered
}

// timeout is what the spec asks for, or the default within what the policies allow.
func timeout(spec v1alpha1.ZfsBenchmarkSpec, p Plan, limit time.Duration) time.Duration {
	if spec.Timeout != nil {
		return spec.Timeout.Duration
	}
	if chosen := DefaultTimeout(p); limit == 0 || chosen < limit {
		return chosen
	}
	return limit
}
