// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/spec/validate"
)

// Document is one object as it was written, in YAML or JSON.
type Document struct {
	// File is where it was read, - for standard input.
	File string
	Text []byte
}

// Manifest is what files hold. Nothing but the kinds of the objects has been checked.
type Manifest struct {
	Benchmark Document
	Policies  []Document
}

// ReadFiles reads all files; a name of - is standard input. Anything but one ZfsBenchmark and any number of
// BenchmarkDevicePolicies is an error.
func ReadFiles(names []string, stdin io.Reader) (Manifest, error) {
	var m Manifest
	for _, name := range names {
		if err := m.readFile(name, stdin); err != nil {
			return Manifest{}, fmt.Errorf("%s: %w", name, err)
		}
	}
	if m.Benchmark.Text == nil {
		return Manifest{}, errors.New("no ZfsBenchmark in " + strings.Join(names, ", "))
	}
	return m, nil
}

// Decode decodes all objects without an API server: strictly, with defaults, and by all rules.
func (m Manifest) Decode() (*v1alpha1.ZfsBenchmark, []v1alpha1.BenchmarkDevicePolicy, error) {
	b, err := validate.ReadBenchmark(m.Benchmark.Text)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", m.Benchmark.File, err)
	}
	policies, err := m.DecodePolicies()
	return b, policies, err
}

// DecodePolicies decodes the policies alone.
func (m Manifest) DecodePolicies() ([]v1alpha1.BenchmarkDevicePolicy, error) {
	var policies []v1alpha1.BenchmarkDevicePolicy
	for _, d := range m.Policies {
		policy, err := validate.ReadPolicy(d.Text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", d.File, err)
		}
		policies = append(policies, *policy)
	}
	return policies, nil
}

func (m *Manifest) readFile(name string, stdin io.Reader) error {
	if name == "-" {
		return m.read(name, stdin)
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	return m.read(name, f)
}

// read reads the documents of one stream.
func (m *Manifest) read(name string, r io.Reader) error {
	documents := utilyaml.NewYAMLReader(bufio.NewReader(r))
	for {
		text, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := m.add(Document{File: name, Text: text}); err != nil {
			return err
		}
	}
}

func (m *Manifest) add(d Document) error {
	var meta metav1.TypeMeta
	if err := yaml.Unmarshal(d.Text, &meta); err != nil {
		return err
	}
	if meta == (metav1.TypeMeta{}) && isEmpty(d.Text) {
		return nil
	}
	if meta.APIVersion != v1alpha1.GroupVersion.String() {
		return fmt.Errorf("apiVersion %q is not %s", meta.APIVersion, v1alpha1.GroupVersion)
	}
	switch meta.Kind {
	case "ZfsBenchmark":
		if m.Benchmark.Text != nil {
			return errors.New("there is more than one ZfsBenchmark; give one at a time")
		}
		m.Benchmark = d
		return nil
	case "BenchmarkDevicePolicy":
		m.Policies = append(m.Policies, d)
		return nil
	}
	return fmt.Errorf("kind %q is neither ZfsBenchmark nor BenchmarkDevicePolicy", meta.Kind)
}

// isEmpty says whether a document holds nothing but comments.
func isEmpty(document []byte) bool {
	var content any
	return yaml.Unmarshal(document, &content) == nil && content == nil
}
