// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"cmp"
	"fmt"
	"time"

	"k8s.io/utils/ptr"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/spec/matrix"
	"zfsbench.io/operator/internal/spec/validate"
)

// Input is everything a plan is made from.
type Input struct {
	// Benchmark is valid; Build sets its defaults in a copy.
	Benchmark *v1alpha1.ZfsBenchmark
	// NamespaceUID is the UID of the benchmark's namespace; outside Kubernetes it has none.
	NamespaceUID string
	Node         Node
	Policies     []v1alpha1.BenchmarkDevicePolicy
	// Chosen are the paths of the disks that were chosen for classes before, by the device's name. They are used whatever
	// has changed since. Nil chooses disks.
	Chosen map[string]string
	// Storage is what a discovery found on the node; nil if unknown. It only keeps disks from being chosen for a class.
	Storage *v1alpha1.NodeStorage
	// Volumes are the volumes that may be on the node.
	Volumes  []Volume
	Defaults Defaults
}

// Defaults are used where neither the benchmark nor a policy says otherwise. They include the limits of all benchmarks.
type Defaults struct {
	Scratch Scratch
	// MaxTimeout is the longest timeout that any policy can allow; 0 means no limit.
	MaxTimeout time.Duration
	// FileDevices says who may use files in place of disks; empty means everybody.
	FileDevices FileDevices
}

// FileDevices says who may use files in place of disks.
type FileDevices string

// Who may use files in place of disks: everybody, only namespaces with a policy that allows it, or nobody.
const (
	FileDevicesAllowed   FileDevices = "Allowed"
	FileDevicesByPolicy  FileDevices = "Policy"
	FileDevicesForbidden FileDevices = "Forbidden"
)

// Build expands a benchmark for one node. The same input gives the same plan. Without consent for every device, module
// parameter and md array the error is a *ConsentError; for a plan that does not fit into a ConfigMap it is ErrTooLarge.
func Build(in Input) (Plan, error) {
	b := in.Benchmark.DeepCopy()
	validate.Defaults(b)
	variants, err := expand(b.Spec)
	if err != nil {
		return Plan{}, fmt.Errorf("plan for node %s: %w", in.Node.Name, err)
	}
	in.Benchmark = b
	granted, err := Consent(in)
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
		Variants:  variants,
		Workloads: b.Spec.Workloads,
		Order:     order(b, len(variants)),
	}
	if p.HasDisks() {
		p.Volumes = in.Volumes
	}
	if b.Spec.DevicePreparation != v1alpha1.DevicePreparationNone {
		p.DevicePreparation = b.Spec.DevicePreparation
	}
	if r := b.Spec.Repetitions; r != nil {
		p.ConfirmingRepetitions = int(ptr.Deref(r.Confirm, 0))
		if r.FreshPool == v1alpha1.FreshPoolPerVariant {
			p.FreshPool = r.FreshPool
		}
	}
	least, most := repetitions(b.Spec)
	p.Trials = trials(p, most)
	if p.Stopping, err = stopping(b.Spec, least, most); err != nil {
		return Plan{}, fmt.Errorf("plan for node %s: %w", in.Node.Name, err)
	}
	p.TimeoutSeconds = int64(timeout(b.Spec, p, granted.MaxTimeout) / time.Second)
	if err := check(p); err != nil {
		return Plan{}, fmt.Errorf("plan for node %s: %w", in.Node.Name, err)
	}
	if size := len(Encode(p)); size > maxBytes {
		return Plan{}, fmt.Errorf("plan for node %s: %w", in.Node.Name, tooLarge(p, size))
	}
	return p, nil
}

// expand makes the variants of the matrix, or the only variant of a benchmark that varies nothing, and the baselines.
func expand(spec v1alpha1.ZfsBenchmarkSpec) ([]Variant, error) {
	expanded, err := matrix.Expand(spec)
	if err != nil {
		return nil, err
	}
	variants := make([]Variant, 0, len(expanded))
	for _, e := range expanded {
		v := Variant{Name: e.Name, Axes: e.Axes, Reference: e.Reference, Baseline: e.Baseline,
			ModuleParameters: e.ModuleParameters}
		if e.Pool != nil {
			v.Pool = *e.Pool
		}
		if e.Dataset != nil {
			v.Dataset = *e.Dataset
		}
		variants = append(variants, v)
	}
	return variants, nil
}

// repetitions are the smallest and the largest number of repetitions, without confirming ones.
func repetitions(spec v1alpha1.ZfsBenchmarkSpec) (least, most int) {
	if spec.Repetitions == nil {
		return 1, 1
	}
	least = max(1, int(spec.Repetitions.Min))
	return least, max(least, int(ptr.Deref(spec.Repetitions.Max, 0)))
}

// stopping is nil unless the number of repetitions depends on the results.
func stopping(spec v1alpha1.ZfsBenchmarkSpec, least, most int) (*Stopping, error) {
	if least == most {
		return nil, nil
	}
	target, err := cmp.Or(spec.Repetitions.TargetRelativeError, validate.DefaultTargetRelativeError).Fraction()
	if err != nil {
		return nil, err
	}
	return &Stopping{MinRepetitions: least, TargetRelativeError: target}, nil
}

// timeout is the spec's timeout, or else the default, limited to what the policies allow.
func timeout(spec v1alpha1.ZfsBenchmarkSpec, p Plan, limit time.Duration) time.Duration {
	if spec.Timeout != nil {
		return spec.Timeout.Duration
	}
	if chosen := DefaultTimeout(p); limit == 0 || chosen < limit {
		return chosen
	}
	return limit
}
