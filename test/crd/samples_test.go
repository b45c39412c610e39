// SPDX-License-Identifier: Apache-2.0

package crd_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"zfsbench.io/operator/api/v1alpha1"
)

// TestSamples: the API server accepts every sample, with no field that it does not know.
func TestSamples(t *testing.T) {
	for _, pattern := range []string{"*.yaml", "*/*.yaml"} {
		files, err := filepath.Glob(filepath.Join("..", "..", "config", "samples", pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v, %v", pattern, files, err)
		}
		for _, file := range files {
			if name := filepath.Base(file); name != "kustomization.yaml" {
				t.Run(strings.TrimSuffix(name, ".yaml"), func(t *testing.T) { createSample(t, file) })
			}
		}
	}
}

func createSample(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var u unstructured.Unstructured
	if err := yaml.UnmarshalStrict(text, &u.Object); err != nil {
		t.Fatal(err)
	}
	if group := u.GroupVersionKind().Group; group != v1alpha1.GroupVersion.Group {
		t.Fatalf("it is of the group %q", group)
	}
	err = apiserver(t).Create(t.Context(), &u, client.DryRunAll, client.FieldValidation(metav1.FieldValidationStrict))
	if err != nil {
		t.Error(err)
	}
}
