// SPDX-License-Identifier: Apache-2.0

package schema_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"zfsbench.io/operator/internal/spec/schema"
	"zfsbench.io/operator/internal/spec/validate/validatetest"
)

// TestVerdicts checks that this package gives the same verdicts as an API server; test/crd runs the same cases on a
// real one.
func TestVerdicts(t *testing.T) {
	for name, c := range validatetest.Benchmarks() {
		t.Run(name, func(t *testing.T) { check(t, c, validatetest.Benchmark, schema.Benchmark) })
	}
	for name, c := range validatetest.Policies() {
		t.Run("policy: "+name, func(t *testing.T) { check(t, c, validatetest.Policy, schema.Policy) })
	}
}

func check(t *testing.T, c validatetest.Case, base string, of func(map[string]any) field.ErrorList) {
	t.Helper()
	manifest, err := c.Manifest(base)
	if err != nil {
		t.Fatal(err)
	}
	var object map[string]any
	if err := utiljson.Unmarshal(manifest, &object); err != nil {
		t.Fatal(err)
	}
	errs := of(object)
	if !c.Refused() || c.GoOnly != "" {
		if len(errs) > 0 {
			t.Errorf("refused: %v", errs.ToAggregate())
		}
		return
	}
	for _, e := range errs {
		if (c.Field == "" || e.Field == c.Field) && strings.Contains(e.ErrorBody(), c.Message) {
			return
		}
	}
	t.Errorf("got %v\nwant an error at %q with %q", errs.ToAggregate(), c.Field, c.Message)
}

// TestEmbeddedIsCurrent fails when the CRDs, or what compiles their rules, have changed.
func TestEmbeddedIsCurrent(t *testing.T) {
	for crd, name := range map[string]string{
		"zfsbench.io_zfsbenchmarks.yaml":           "benchmark",
		"zfsbench.io_benchmarkdevicepolicies.yaml": "policy",
	} {
		text, rules, err := schema.Compile(read(t, "../../../config/crd/bases/"+crd))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(text, read(t, name+".json")) || !bytes.Equal(rules, read(t, name+".rules")) {
			t.Errorf("%s.json and %s.rules are not made of %s: run `make manifests`", name, name, crd)
		}
	}
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
