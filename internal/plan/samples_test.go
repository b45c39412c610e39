// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/yaml"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/config/samples/cases"
)

// Every sample can be planned for the node and the disks that its comments name.
func TestSamples(t *testing.T) {
	policies := samplePolicies(t)
	for _, file := range sampleFiles(t, "*.yaml", "experiments/*.yaml", "studies/*.yaml", "cases/*.yaml") {
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
			p := planOfSample(t, &b, policies)
			t.Logf("%d variants, %d trials, at most %v", len(p.Variants), len(p.Trials), p.Timeout())
		})
	}
}

// TestCasesFit: on a node with four disks of 1 TiB, 64 GiB of memory and an ARC of half of that, every variant of a
// case has room, and the benchmark ends in time even on slow disks.
func TestCasesFit(t *testing.T) {
	policies := samplePolicies(t)
	for i := range policies {
		for j := range policies[i].Spec.Devices {
			policies[i].Spec.Devices[j].Size = resource.MustParse("1Ti")
		}
	}
	all, err := cases.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		t.Run(c.Name, func(t *testing.T) {
			var b v1alpha1.ZfsBenchmark
			if err := yaml.UnmarshalStrict([]byte(c.Manifest), &b); err != nil {
				t.Fatal(err)
			}
			p := planOfSample(t, &b, policies)
			expanded := Expand(p, MemoryOf(64<<30, 32<<30))
			for _, v := range p.Variants {
				if space := EstimateSpace(expanded, v); space.Fit != FitYes {
					t.Errorf("variant %s needs %d of %d bytes", v.Name, space.NeededBytes, space.UsableBytes)
				}
			}
			if least, most := LeastDuration(p), EstimateDuration(expanded); most >= maxTimeout {
				t.Errorf("it takes %v to %v", least, most)
			} else {
				t.Logf("%d trials take %v to %v", len(p.Trials), least, most)
			}
		})
	}
}

// samplePolicies are the policies among the samples, for one node.
func samplePolicies(t *testing.T) []v1alpha1.BenchmarkDevicePolicy {
	t.Helper()
	var policies []v1alpha1.BenchmarkDevicePolicy
	for _, file := range sampleFiles(t, "policies/[^k]*.yaml", "policy.yaml") {
		var policy v1alpha1.BenchmarkDevicePolicy
		readSample(t, file, &policy)
		policies = append(policies, policy)
	}
	return policies
}

// sampleFiles are the files that match each of the patterns, which have at least one.
func sampleFiles(t *testing.T, patterns ...string) []string {
	t.Helper()
	var all []string
	for _, pattern := range patterns {
		files, err := filepath.Glob(filepath.Join("..", "..", "config", "samples", pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v, %v", pattern, files, err)
		}
		all = append(all, files...)
	}
	return all
}

func planOfSample(t *testing.T, b *v1alpha1.ZfsBenchmark, policies []v1alpha1.BenchmarkDevicePolicy) Plan {
	t.Helper()
	b.UID = testUID
	node := Node{Name: policies[0].Spec.Node.Name, UID: policies[0].Spec.Node.UID}
	p, err := Build(Input{Benchmark: b, Node: node, Policies: policies, Defaults: testDefaults()})
	if err != nil {
		t.Fatal(err)
	}
	return p
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
