// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"bytes"
	"encoding/json"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/text/fields"
)

const (
	// MaxNodes is on how many nodes a benchmark may run.
	MaxNodes = 64
	// maxNameLength is that of a label's value.
	maxNameLength = 63
)

var timeout = fields.Duration{Name: "timeout", Minimum: time.Minute, Maximum: 30 * 24 * time.Hour, Least: "1m", Most: "720h", Example: "4h"}

// Benchmark returns everything that is wrong with a benchmark, in the order of its fields; nil means valid. What is not set counts as its default.
// b is not changed.
func Benchmark(b *v1alpha1.ZfsBenchmark) field.ErrorList {
	b = b.DeepCopy()
	Defaults(b)
	s, path := b.Spec, field.NewPath("spec")
	errs := benchmarkName(b.Name)
	errs = append(errs, nodes(s.Nodes, path.Child("nodes"))...)
	errs = append(errs, devices(s.Devices, path.Child("devices"))...)
	errs = append(errs, basePool(s, path)...)
	errs = append(errs, dataset(s.Dataset, path.Child("dataset"))...)
	errs = append(errs, moduleParameters(s.ModuleParameters, path.Child("moduleParameters"))...)
	errs = append(errs, baselines(s, path)...)
	errs = append(errs, workloads(s.Workloads, path.Child("workloads"))...)
	errs = append(errs, volumeHolds(s.Dataset, s.Workloads, path.Child("workloads"))...)
	expanded, problems := expand(s, path)
	errs = append(errs, problems...)
	errs = append(errs, needFilesystems(expanded, s.Workloads, path.Child("workloads"))...)
	errs = append(errs, inChildren(expanded, s.Workloads, path.Child("workloads"))...)
	errs = append(errs, inspectPools(expanded, s.Workloads, path.Child("workloads"))...)
	errs = append(errs, followRecords(expanded, s.Workloads, path.Child("workloads"))...)
	errs = append(errs, poolOperations(expanded, s, path.Child("workloads"))...)
	errs = append(errs, variants(expanded, s, errs, path)...)
	errs = append(errs, repetitions(s.Repetitions, path.Child("repetitions"))...)
	errs = append(errs, trials(expanded, s, path)...)
	errs = append(errs, fields.OneOf(s.DevicePreparation, path.Child("devicePreparation"), v1alpha1.DevicePreparationDiscard, v1alpha1.DevicePreparationNone)...)
	errs = append(errs, comparison(s.Comparison, path.Child("comparison"))...)
	errs = append(errs, comparedWith(b, path.Child("comparison", "with"))...)
	errs = append(errs, thresholds(s, expanded, path.Child("thresholds"))...)
	errs = append(errs, recommend(s.Recommend, s.Workloads, expanded, path.Child("recommend"))...)
	errs = append(errs, timeout.Check(s.Timeout, path.Child("timeout"))...)
	errs = append(errs, fields.OneOf(s.CleanupPolicy, path.Child("cleanupPolicy"), v1alpha1.CleanupOnSuccess, v1alpha1.CleanupAlways, v1alpha1.CleanupNever)...)
	if ttl := s.TTLSecondsAfterFinished; ttl != nil && *ttl < 0 {
		errs = append(errs, field.Invalid(path.Child("ttlSecondsAfterFinished"), *ttl, "ttlSecondsAfterFinished must be 0 or more"))
	}
	return errs
}

// BenchmarkUpdate returns the changes that a benchmark does not allow: its spec is immutable except suspend, ttlSecondsAfterFinished and
// cleanupPolicy. It does not validate the new benchmark.
func BenchmarkUpdate(updated, old *v1alpha1.ZfsBenchmark) field.ErrorList {
	path := field.NewPath("spec")
	u, o := updated.Spec, old.Spec
	parts := []struct {
		name     string
		now, was any
	}{
		{"nodes", u.Nodes, o.Nodes},
		{"devices", u.Devices, o.Devices},
		{"pool", u.Pool, o.Pool},
		{"dataset", u.Dataset, o.Dataset},
		{"moduleParameters", u.ModuleParameters, o.ModuleParameters},
		{"workloads", u.Workloads, o.Workloads},
		{"matrix", u.Matrix, o.Matrix},
		{"baselines", u.Baselines, o.Baselines},
		{"repetitions", u.Repetitions, o.Repetitions},
		{"devicePreparation", u.DevicePreparation, o.DevicePreparation},
		{"comparison", u.Comparison, o.Comparison},
		{"thresholds", u.Thresholds, o.Thresholds},
		{"recommend", u.Recommend, o.Recommend},
		{"dryRun", u.DryRun, o.DryRun},
		{"timeout", u.Timeout, o.Timeout},
	}
	var errs field.ErrorList
	for _, p := range parts {
		if !same(p.now, p.was) {
			errs = append(errs, field.Forbidden(path.Child(p.name), p.name+" is immutable: delete the benchmark and create it anew"))
		}
	}
	return errs
}

// same compares parts of a spec as the API stores them. There a list that is empty is another than one that is left out where the two mean different
// things, which is in a matrix.
func same(a, b any) bool {
	now, err := json.Marshal(a)
	was, oldErr := json.Marshal(b)
	return err == nil && oldErr == nil && bytes.Equal(now, was)
}

// benchmarkName checks what the API server does not: it takes longer names, but labels do not.
func benchmarkName(name string) field.ErrorList {
	path := field.NewPath("metadata", "name")
	switch {
	case name == "":
		return field.ErrorList{field.Required(path, "a benchmark needs a name")}
	case len(name) > maxNameLength:
		return field.ErrorList{field.Invalid(path, name, "metadata.name must be at most 63 characters: it is used in labels and in the name of the results")}
	case !fields.Subdomain.MatchString(name):
		return field.ErrorList{field.Invalid(path, name, "metadata.name must be lower-case letters, digits, '-' and '.', with a letter or digit at both ends")}
	}
	return nil
}
