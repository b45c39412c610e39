// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"encoding/json"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/spec/schema"
)

// ReadBenchmark reads a ZfsBenchmark from YAML or JSON where there is no API server: strictly, with the CRD's defaults,
// and by the rules of the CRD and of Benchmark.
func ReadBenchmark(document []byte) (*v1alpha1.ZfsBenchmark, error) {
	b := &v1alpha1.ZfsBenchmark{}
	if name, err := read(document, b, schema.Benchmark); err != nil {
		return nil, invalid("ZfsBenchmark", name, err)
	}
	Defaults(b)
	return b, invalid("ZfsBenchmark", b.Name, Benchmark(b).ToAggregate())
}

// ReadPolicy does the same for a BenchmarkDevicePolicy.
func ReadPolicy(document []byte) (*v1alpha1.BenchmarkDevicePolicy, error) {
	p := &v1alpha1.BenchmarkDevicePolicy{}
	if name, err := read(document, p, schema.Policy); err != nil {
		return nil, invalid("BenchmarkDevicePolicy", name, err)
	}
	return p, invalid("BenchmarkDevicePolicy", p.Name, Policy(p).ToAggregate())
}

func invalid(kind, name string, err error) error {
	if err != nil {
		return fmt.Errorf("%s %s: %w", kind, name, err)
	}
	return nil
}

// read decodes a document into a typed object if its CRD accepts it, and returns the object's name in any case. An
// unknown or duplicate field is an error: a misspelt one must not be ignored.
func read(document []byte, into any, crd func(map[string]any) field.ErrorList) (name string, err error) {
	text, err := yaml.YAMLToJSONStrict(document)
	if err != nil {
		return "", err
	}
	var object map[string]any
	if err := utiljson.Unmarshal(text, &object); err != nil {
		return "", err
	}
	name, _, _ = unstructured.NestedString(object, "metadata", "name")
	// `kubectl get -o yaml` writes a status. An API server ignores it when an object is created.
	delete(object, "status")
	if err := crd(object).ToAggregate(); err != nil {
		return name, err
	}
	withDefaults, err := json.Marshal(object)
	if err != nil {
		return name, err
	}
	// The CRD says nothing about the fields of metadata.
	unknown, err := kjson.UnmarshalStrict(withDefaults, into)
	return name, errors.Join(append(unknown, err)...)
}
