// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io/fs"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"zfsbench.io/operator/api/v1alpha1"
)

// sample is a benchmark and the file it is in.
type sample struct {
	file      string
	benchmark v1alpha1.ZfsBenchmark
}

// readSamples reads one benchmark from each file.
func readSamples(files fs.FS, names ...string) ([]sample, error) {
	samples := make([]sample, 0, len(names))
	for _, name := range names {
		content, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, fmt.Errorf("read sample: %w", err)
		}
		s := sample{file: name}
		if err := yaml.UnmarshalStrict(content, &s.benchmark); err != nil {
			return nil, fmt.Errorf("read sample %s: %w", name, err)
		}
		samples = append(samples, s)
	}
	return samples, nil
}

// diskPaths returns the paths of all disks that the samples use, sorted, each once.
func diskPaths(samples []sample) []string {
	var paths []string
	for _, s := range samples {
		for _, d := range s.benchmark.Spec.Devices {
			if d.Path != "" {
				paths = append(paths, d.Path)
			}
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// policyFor consents to the samples' use of the disks of a node.
func policyFor(
	node v1alpha1.PolicyNode, disks []v1alpha1.PolicyDevice, samples []sample,
) v1alpha1.BenchmarkDevicePolicy {
	var namespaces []string
	for _, s := range samples {
		namespaces = append(namespaces, s.benchmark.Namespace)
	}
	slices.Sort(namespaces)
	return v1alpha1.BenchmarkDevicePolicy{
		TypeMeta:   metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: "BenchmarkDevicePolicy"},
		ObjectMeta: metav1.ObjectMeta{Name: node.Name},
		Spec: v1alpha1.BenchmarkDevicePolicySpec{
			Node:       node,
			Namespaces: slices.Compact(namespaces),
			Devices:    disks,
		},
	}
}
