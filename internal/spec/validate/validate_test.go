// SPDX-License-Identifier: Apache-2.0

package validate_test

import (
	"slices"
	"strings"
	"testing"

	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/spec/schema"
	"zfsbench.io/operator/internal/spec/validate"
	"zfsbench.io/operator/internal/spec/validate/validatetest"
)

// TestBenchmark says for each case which one place refuses it: the CRD, or, with a reason, Go.
func TestBenchmark(t *testing.T) {
	for name, c := range validatetest.Benchmarks() {
		t.Run(name, func(t *testing.T) {
			onePlace(t, c, validatetest.Benchmark, schema.Benchmark, func(manifest []byte) field.ErrorList {
				var b v1alpha1.ZfsBenchmark
				if yaml.UnmarshalStrict(manifest, &b) != nil {
					return nil
				}
				return validate.Benchmark(&b)
			})
		})
	}
}

// TestPolicy does the same for policies.
func TestPolicy(t *testing.T) {
	for name, c := range validatetest.Policies() {
		t.Run(name, func(t *testing.T) {
			onePlace(t, c, validatetest.Policy, schema.Policy, func(manifest []byte) field.ErrorList {
				var p v1alpha1.BenchmarkDevicePolicy
				if yaml.UnmarshalStrict(manifest, &p) != nil {
					return nil
				}
				return validate.Policy(&p)
			})
		})
	}
}

// onePlace compares what the CRD and Go say with what the case wants.
func onePlace(t *testing.T, c validatetest.Case, base string, crd func(map[string]any) field.ErrorList,
	rest func([]byte) field.ErrorList) {
	t.Helper()
	manifest, err := c.Manifest(base)
	if err != nil {
		t.Fatal(err)
	}
	var object map[string]any
	if err := utiljson.Unmarshal(manifest, &object); err != nil {
		t.Fatal(err)
	}
	byCRD := crd(object)
	switch {
	case !c.Refused() || c.GoOnly != "":
		if len(byCRD) > 0 {
			t.Errorf("refused by the CRD: %v", byCRD.ToAggregate())
		}
		byGo := rest(manifest)
		if c.Refused() && !says(c, byGo) || !c.Refused() && len(byGo) > 0 {
			t.Errorf("Go says %v\nwant an error at %q with %q", byGo.ToAggregate(), c.Field, c.Message)
		}
	default:
		if !says(c, byCRD) {
			t.Errorf("the CRD says %v\nwant an error at %q with %q", byCRD.ToAggregate(), c.Field, c.Message)
		}
		if byGo := careful(rest, manifest); says(c, byGo) != (c.GoToo != "") {
			t.Errorf("Go says it as well: %v; the reason why it must is %q", byGo.ToAggregate(), c.GoToo)
		}
	}
}

// careful asks Go about what it is never asked, because the CRD refuses it: it may well fail on it.
func careful(rest func([]byte) field.ErrorList, manifest []byte) (errs field.ErrorList) {
	defer func() { _ = recover() }()
	return rest(manifest)
}

func says(c validatetest.Case, errs field.ErrorList) bool {
	return slices.ContainsFunc(errs, func(e *field.Error) bool {
		return (c.Field == "" || e.Field == c.Field) && strings.Contains(e.ErrorBody(), c.Message)
	})
}
