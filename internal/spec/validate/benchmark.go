// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/spec/matrix"
)

// Benchmark returns what is wrong with a benchmark that its CRD accepts, in the order of its fields; nil means valid.
// What is not set counts as its default. b is not changed.
func Benchmark(b *v1alpha1.ZfsBenchmark) field.ErrorList {
	b = b.DeepCopy()
	Defaults(b)
	s, path := b.Spec, field.NewPath("spec")
	errs := nodes(s.Nodes, path.Child("nodes"))
	errs = append(errs, devices(s.Devices, path.Child("devices"))...)
	errs = append(errs, basePool(s, path)...)
	errs = append(errs, dataset(s.Dataset, path.Child("dataset"))...)
	errs = append(errs, baselines(s, path)...)
	errs = append(errs, workloads(s.Workloads, path.Child("workloads"))...)
	errs = append(errs, volumeHolds(s.Dataset, s.Workloads, path.Child("workloads"))...)
	expanded, problems := expand(s, path)
	errs = append(errs, problems...)
	errs = append(errs, onVariants(expanded, s, path.Child("workloads"))...)
	errs = append(errs, variants(expanded, s, errs, path)...)
	errs = append(errs, trials(expanded, s, path)...)
	errs = append(errs, thresholds(s, expanded, path.Child("thresholds"))...)
	return append(errs, recommend(s.Recommend, s.Workloads, expanded, path.Child("recommend"))...)
}

// onVariants checks the workloads against what they run on.
func onVariants(expanded []matrix.Variant, s v1alpha1.ZfsBenchmarkSpec, path *field.Path) field.ErrorList {
	errs := needFilesystems(expanded, s.Workloads, path)
	errs = append(errs, inChildren(expanded, s.Workloads, path)...)
	errs = append(errs, inspectPools(expanded, s.Workloads, path)...)
	errs = append(errs, followRecords(expanded, s.Workloads, path)...)
	return append(errs, poolOperations(expanded, s, path)...)
}
