// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"sigs.k8s.io/yaml"

	"zfsbench.io/operator/api/v1alpha1"
)

// Every sample can be planned for the node and the disks that its comments name.
func TestSamples(t *testing.T) {
	extras, err := filepath.Glob(filepath.Join("..", "..", "config", "samples", "policies", "[^k]*.yaml"))
	if err != nil || len(extras) == 0 {
		t.Fatalf("policies %v, %v", extras, err)
	}
	var policies []v1alpha1.BenchmarkDevicePolicy
	for _, file := range append(extras, filepath.Join("..", "..", "config", "samples", "policy.yaml")) {
		var policy v1alpha1.BenchmarkDevicePolicy
		readSample(t, file, &policy)
		policies = append(policies, policy)
	}
	files, err := filepath.Glob(filepath.Join("..", "..", "config", "samples", "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	experiments, err := filepath.Glob(filepath.Join("..", "..", "config", "samples", "experiments", "*.yaml"))
	if err != nil || len(experiments) == 0 {
		t.Fatalf("experiments %v, %v", experiments, err)
	}
	studies, err := filepath.Glob(filepath.Join("..", "..", "config", "samples", "studies", "*.yaml"))
	if err != nil || len(studies) == 0 {
		t.Fatalf("studies %v, %v", studies, err)
	}
	for _, file := range slices.Concat(files, experiments, studies) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Contains(text, []byte("\nkind: ZfsBenchmark\n")) {
				t.Skip("it is no benchmark")
			}
			var b v1alpha1.ZfsBenchmark
			readSample(t, file, &b)
			b.UID = testUID
			node := Node{Name: policies[0].Spec.Node.Name, UID: policies[0].Spec.Node.UID}
			p, err := Build(Input{Benchmark: &b, Node: node, Policies: policies, Defaults: testDefaults()})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d variants, %d trials, at most %v", len(p.Variants), len(p.Trials), p.Timeout())
		})
	}
}

func readSample(t *testing.T, file string, into any) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.UnmarshalStrict(text, into); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}
