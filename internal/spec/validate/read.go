// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"encoding/json"
	"fmt"

	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/spec/schema"
)

// ReadBenchmark reads a ZfsBenchmark from YAML or JSON where there is no API server: strictly, with the CRD's defaults,
// and by its rules and those of Benchmark.
func ReadBenchmark(document []byte) (*v1alpha1.ZfsBenchmark, error) {
	b := &v1alpha1.ZfsBenchmark{}
	if err := read(document, b, schema.Benchmark); err != nil {
		return nil, invalid("ZfsBenchmark", b.Name, err)
	}
	Defaults(b)
	return b, invalid("ZfsBenchmark", b.Name, Benchmark(b).ToAggregate())
}

// ReadPolicy does the same for a BenchmarkDevicePolicy.
func ReadPolicy(document []byte) (*v1alpha1.BenchmarkDevicePolicy, error) {
	p := &v1alpha1.BenchmarkDevicePolicy{}
	if err := read(document, p, schema.Policy); err != nil {
		return nil, invalid("BenchmarkDevicePolicy", p.Name, err)
	}
	return p, invalid("BenchmarkDevicePolicy", p.Name, Policy(p).ToAggregate())
}

func invalid(kind, name string, err error) error {
	if err != nil {
		return fmt.Errorf("%s %s: %w", kind, name, err)
	}
	return nil
}

// read decodes a document into a typed object, once its CRD accepts it. A field that is unknown, or there twice, is an
// error: a misspelt one must not be ignored.
func read(document []byte, into any, crd func(map[string]any) field.ErrorList) error {
	if err := yaml.UnmarshalStrict(document, into); err != nil {
		return err
	}
	text, err := yaml.YAMLToJSON(document)
	if err != nil {
		return err
	}
	var object map[string]any
	if err := utiljson.Unmarshal(text, &object); err != nil {
		return err
	}
	if err := crd(object).ToAggregate(); err != nil {
		return err
	}
	withDefaults, err := json.Marshal(object)
	if err != nil {
		return err
	}
	return json.Unmarshal(withDefaults, into)
}
