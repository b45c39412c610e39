// SPDX-License-Identifier: Apache-2.0

package property

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"zfsbench.io/operator/api/v1alpha1"
)

// TestListsAreTheCRDs compares the names in the CRD's rules with the tables.
func TestListsAreTheCRDs(t *testing.T) {
	spec := crd(t).Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
	pool := spec.Properties["pool"].Properties["properties"].XValidations
	dataset := spec.Properties["dataset"].Properties["properties"].XValidations
	var featureNames []string
	for _, f := range features {
		featureNames = append(featureNames, "feature@"+f)
	}
	tests := map[string]struct {
		expression string
		list       int
		want       []string
	}{
		"pool properties":                 {pool[0].Rule, 0, names(poolProperties)},
		"pool properties, in the message": {pool[0].MessageExpression, 0, names(poolProperties)},
		"reserved pool properties": {pool[0].MessageExpression, 1,
			slices.Sorted(maps.Keys(reservedPoolProperties))},
		"features":                           {pool[1].Rule, 0, featureNames},
		"features, in the message":           {pool[1].MessageExpression, 0, featureNames},
		"dataset properties":                 {dataset[0].Rule, 0, names(datasetProperties)},
		"dataset properties, in the message": {dataset[0].MessageExpression, 0, names(datasetProperties)},
		"reserved dataset properties": {dataset[0].MessageExpression, 1,
			slices.Sorted(maps.Keys(reservedDatasetProperties))},
		"dataset properties of another place": {dataset[0].MessageExpression, 2, []string{"refreservation", "volsize"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, list(t, tt.expression, tt.list)); diff != "" {
				t.Errorf("names (-Go +CRD):\n%s", diff)
			}
		})
	}
}

// TestTypesAreTheCRDs compares which properties are of one type of dataset only.
func TestTypesAreTheCRDs(t *testing.T) {
	rules := crd(t).Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"].Properties["dataset"].XValidations
	for want, rule := range map[v1alpha1.DatasetType]string{v1alpha1.DatasetFilesystem: rules[2].Rule,
		v1alpha1.DatasetVolume: rules[3].Rule} {
		var of []Property
		for _, p := range datasetProperties {
			if p.Type == want {
				of = append(of, p)
			}
		}
		if diff := cmp.Diff(names(of), list(t, rule, 0)); diff != "" {
			t.Errorf("properties of %s (-Go +CRD):\n%s", want, diff)
		}
	}
}

func crd(t *testing.T) apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	text, err := os.ReadFile("../../../config/crd/bases/zfsbench.io_zfsbenchmarks.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var crd apiextensionsv1.CustomResourceDefinition
	if err := yaml.UnmarshalStrict(text, &crd); err != nil {
		t.Fatal(err)
	}
	return crd
}

// list returns the nth list of names in a CEL expression.
func list(t *testing.T, expression string, n int) []string {
	t.Helper()
	lists := regexp.MustCompile(`k in \[([^]]*)\]`).FindAllStringSubmatch(expression, -1)
	if len(lists) <= n {
		t.Fatalf("expression has no list %d: %s", n, expression)
	}
	var found []string
	for _, m := range regexp.MustCompile(`'([^']*)'`).FindAllStringSubmatch(lists[n][1], -1) {
		found = append(found, m[1])
	}
	return found
}

func names(ps []Property) []string {
	var ns []string
	for _, p := range ps {
		ns = append(ns, p.Name)
	}
	return ns
}
