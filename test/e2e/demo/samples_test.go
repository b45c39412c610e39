// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/spec/validate"
)

func benchmarkOn(namespace string, paths ...string) sample {
	s := sample{}
	s.benchmark.Namespace = namespace
	for _, path := range paths {
		s.benchmark.Spec.Devices = append(s.benchmark.Spec.Devices, v1alpha1.Device{Path: path})
	}
	return s
}

func TestDiskPaths(t *testing.T) {
	tests := map[string]struct {
		samples []sample
		want    []string
	}{
		"nothing":            {},
		"files are no disks": {samples: []sample{benchmarkOn("a", "")}},
		"each once and sorted": {samples: []sample{benchmarkOn("a", "/d1", "/d0"), benchmarkOn("a", "/d1", "")},
			want: []string{"/d0", "/d1"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, diskPaths(tt.samples)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestPolicyFor(t *testing.T) {
	node := v1alpha1.PolicyNode{Name: "storage-0", UID: "u"}
	disks := []v1alpha1.PolicyDevice{{Path: "/d0", Serial: "s", Size: resource.MustParse("1Gi")}}
	want := v1alpha1.BenchmarkDevicePolicy{
		TypeMeta:   metav1.TypeMeta{APIVersion: "zfsbench.io/v1alpha1", Kind: "BenchmarkDevicePolicy"},
		ObjectMeta: metav1.ObjectMeta{Name: "storage-0"},
		Spec:       v1alpha1.BenchmarkDevicePolicySpec{Node: node, Namespaces: []string{"a", "b"}, Devices: disks},
	}
	got := policyFor(node, disks, []sample{benchmarkOn("b"), benchmarkOn("a"), benchmarkOn("b")})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestReadSamples(t *testing.T) {
	files := fstest.MapFS{
		"misspelt.yaml": {Data: []byte("kind: ZfsBenchmark\nspec: {worklods: []}")},
	}
	for name, file := range map[string]string{"misspelt field": "misspelt.yaml", "no file": "none.yaml"} {
		t.Run(name, func(t *testing.T) {
			if _, err := readSamples(files, file); err == nil {
				t.Error("no error")
			}
		})
	}
}

// Every sample in the repository is a valid one, and so is the manifest in the README.
func TestEverySampleIsValid(t *testing.T) {
	files, err := filepath.Glob("../../../" + samplesDir + "/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	manifests := map[string][]byte{}
	for _, file := range append(files, "../../../README.md") {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		manifests[filepath.Base(file)] = content
	}
	_, rest, _ := strings.Cut(string(manifests["README.md"]), "```yaml\n")
	readme, _, _ := strings.Cut(rest, "```")
	manifests["README.md"] = []byte(readme)
	delete(manifests, "kustomization.yaml")
	for name, content := range manifests {
		t.Run(name, func(t *testing.T) {
			if err := validateManifest(content); err != nil {
				t.Error(err)
			}
		})
	}
}

func validateManifest(content []byte) error {
	var kind metav1.TypeMeta
	if err := yaml.Unmarshal(content, &kind); err != nil {
		return err
	}
	switch kind.Kind {
	case "ZfsBenchmark":
		_, err := validate.ReadBenchmark(content)
		return err
	case "BenchmarkDevicePolicy":
		_, err := validate.ReadPolicy(content)
		return err
	}
	return fmt.Errorf("unexpected kind %q", kind.Kind)
}

// The samples that the demo runs are read as they are in the repository, and all are for one node.
func TestSamplesOfTheRepository(t *testing.T) {
	samples, err := readSamples(os.DirFS("../../../"+samplesDir), sampleFiles...)
	if err != nil {
		t.Fatal(err)
	}
	if len(diskPaths(samples)) == 0 {
		t.Error("no sample uses a disk")
	}
	for _, s := range samples {
		if diff := cmp.Diff([]string{nodeName}, s.benchmark.Spec.Nodes.Names); diff != "" {
			t.Errorf("%s: %s", s.file, diff)
		}
	}
}
