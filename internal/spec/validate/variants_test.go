// SPDX-License-Identifier: Apache-2.0

package validate_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/spec/validate"
	"zfsbench.io/operator/internal/spec/validate/validatetest"
)

// benchmark is the base benchmark with a patch.
func benchmark(t *testing.T, patch string) *v1alpha1.ZfsBenchmark {
	t.Helper()
	manifest, err := validatetest.Case{Patch: patch}.Manifest(validatetest.Benchmark)
	var b v1alpha1.ZfsBenchmark
	if err != nil || !decodes(manifest, &b) {
		t.Fatalf("%v, or it does not decode", err)
	}
	return &b
}

// TestProblemsOfVariants checks that what is wrong in many variants is said once, and that not too much is said.
func TestProblemsOfVariants(t *testing.T) {
	const sizes = `{name: recordsize, property: recordsize, propertyValues: [16K, 1M]}`
	var names, many []string
	for i := range 64 {
		names = append(names, fmt.Sprintf("v%d", i))
		if i < 5 {
			many = append(many, fmt.Sprintf("spec.matrix: Invalid value: variant a=v%d: dataset.properties: sync must be "+
				"standard, always or disabled, not v%d", i, i))
		}
	}
	tests := map[string]struct {
		patch string
		want  []string
	}{
		"in every variant of a value": {
			`{spec: {matrix: {axes: [` + sizes + `, {name: sync, property: sync, propertyValues: [always, often]}]}}}`,
			[]string{"spec.matrix: Invalid value: variant recordsize=16K,sync=often: dataset.properties: sync must be " +
				"standard, always or disabled, not often"},
		},
		"two in one variant": {
			`{spec: {matrix: {axes: [` + sizes + `], include: [{name: a, pool: {ashift: 8, log: [{type: mirror, devices: [d1]}]}}]}}}`,
			[]string{
				"spec.matrix: Invalid value: variant a: pool.ashift: should be greater than or equal to 9",
				"spec.matrix: Invalid value: variant a: pool.log[0].devices: devices must be at least 2 for type mirror",
				"spec.matrix: Invalid value: variant a: pool: pool uses device d1 more than once: every device has one place",
			},
		},
		"another in every variant": {`{spec: {matrix: {axes: [{name: a, property: sync, propertyValues: [` +
			strings.Join(names, ", ") + `]}]}}}`, many},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, e := range validate.Benchmark(benchmark(t, tt.patch)) {
				got = append(got, e.Error())
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("errors (-want +got):\n%s", diff)
			}
		})
	}
}

// BenchmarkLargest validates as many variants of as many devices as there may be.
func BenchmarkLargest(b *testing.B) {
	manifest, err := validatetest.General()["the largest"].Manifest(validatetest.Benchmark)
	if err != nil {
		b.Fatal(err)
	}
	var largest v1alpha1.ZfsBenchmark
	if !decodes(manifest, &largest) {
		b.Fatal("the largest benchmark does not decode")
	}
	for b.Loop() {
		if errs := validate.Benchmark(&largest); len(errs) > 0 {
			b.Fatal(errs.ToAggregate())
		}
	}
}
