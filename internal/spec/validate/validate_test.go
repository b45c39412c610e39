// SPDX-License-Identifier: Apache-2.0

package validate_test

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/spec/validate"
	"zfsbench.io/operator/internal/spec/validate/validatetest"
)

func TestBenchmark(t *testing.T) {
	for name, c := range validatetest.Benchmarks() {
		t.Run(name, func(t *testing.T) {
			var b v1alpha1.ZfsBenchmark
			if decoded(t, c, validatetest.Benchmark, &b) {
				check(t, c, validate.Benchmark(&b))
			}
		})
	}
}

func TestPolicy(t *testing.T) {
	for name, c := range validatetest.Policies() {
		t.Run(name, func(t *testing.T) {
			var p v1alpha1.BenchmarkDevicePolicy
			if decoded(t, c, validatetest.Policy, &p) {
				check(t, c, validate.Policy(&p))
			}
		})
	}
}

func TestBenchmarkUpdate(t *testing.T) {
	for name, u := range validatetest.Updates() {
		t.Run(name, func(t *testing.T) {
			var old, updated v1alpha1.ZfsBenchmark
			decoded(t, validatetest.Case{}, validatetest.Benchmark, &old)
			decoded(t, validatetest.Case{Patch: u.Patch}, validatetest.Benchmark, &updated)
			validate.Defaults(&old)
			validate.Defaults(&updated)
			check(t, validatetest.Case{Field: u.Field, Message: u.Message}, validate.BenchmarkUpdate(&updated, &old))
		})
	}
}

// decoded says whether the case's manifest decodes, after checking that it should.
func decoded(t *testing.T, c validatetest.Case, base string, into any) bool {
	t.Helper()
	manifest, err := c.Manifest(base)
	if err != nil {
		t.Fatal(err)
	}
	err = yaml.UnmarshalStrict(manifest, into)
	if (err != nil) != c.Decoding {
		t.Errorf("decoding: %v; want an error: %t", err, c.Decoding)
	}
	return err == nil
}

// check compares what Go says with what the case wants.
func check(t *testing.T, c validatetest.Case, errs field.ErrorList) {
	t.Helper()
	if !c.Refused() || c.APIOnly != "" {
		if len(errs) > 0 {
			t.Errorf("refused: %v", errs.ToAggregate())
		}
		return
	}
	for _, e := range errs {
		fieldMatches := c.Field == "" || e.Field == c.Field
		if fieldMatches && strings.Contains(e.ErrorBody(), c.Message) {
			return
		}
	}
	t.Errorf("got %v\nwant an error at %q with %q", errs.ToAggregate(), c.Field, c.Message)
}
