// SPDX-License-Identifier: Apache-2.0

package crd_test

import (
	"os"
	"path/filepath"
	"testing"

	storagev1 "k8s.io/api/storage/v1"
	"sigs.k8s.io/yaml"
)

// TestRecommendedStorageClasses: an API server takes what internal/analysis/recommend writes.
func TestRecommendedStorageClasses(t *testing.T) {
	c := apiserver(t)
	files, err := filepath.Glob("../../internal/analysis/recommend/testdata/storageclass-*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		class := &storagev1.StorageClass{}
		if err := yaml.UnmarshalStrict(text, class); err != nil {
			t.Fatal(err)
		}
		class.Name += "-" + filepath.Base(file)
		if err := c.Create(t.Context(), class); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}
