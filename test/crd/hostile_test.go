// SPDX-License-Identifier: Apache-2.0

package crd_test

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"zfsbench.io/operator/internal/spec/validate/validatetest"
)

// TestHostileTexts says which texts the API server itself lets through, out of all that internal/spec/validate attacks.
// The rules of a selector are left to Go: the schema of a label selector is Kubernetes' own and has none. So are the
// names of properties and module parameters in a matrix, because a rule would cost too much in the hundreds of places
// where they can be. A serial number is free text, and so is a script's command. A variant's name may have commas in
// it; which variants there are is for Go to say.
func TestHostileTexts(t *testing.T) {
	tests := map[string]struct {
		full     []string
		attacks  func() ([]validatetest.Hostile, error)
		accepted []string
	}{
		"benchmark": {validatetest.FullBenchmarks(), validatetest.HostileBenchmarks, []string{
			"spec.matrix.axes[].values[].dataset.children[].properties{} key",
			"spec.matrix.axes[].values[].dataset.properties{} key", "spec.matrix.axes[].values[].moduleParameters{} key",
			"spec.matrix.axes[].values[].pool.properties{} key",
			"spec.matrix.include[].dataset.children[].properties{} key", "spec.matrix.include[].dataset.properties{} key",
			"spec.matrix.include[].moduleParameters{} key", "spec.matrix.include[].pool.properties{} key",
			"spec.nodes.selector.matchExpressions[].key", "spec.nodes.selector.matchExpressions[].operator",
			"spec.nodes.selector.matchExpressions[].values[]",
			"spec.nodes.selector.matchLabels{}", "spec.nodes.selector.matchLabels{} key", "spec.thresholds[].variant",
			"spec.workloads[].script.command[]",
		}},
		"policy": {validatetest.FullPolicies(), validatetest.HostilePolicies, []string{"spec.devices[].serial"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			for i, manifest := range tt.full {
				document, err := yaml.YAMLToJSONStrict([]byte(manifest))
				if err != nil {
					t.Fatal(err)
				}
				if err := tryCreate(t, document); err != nil {
					t.Errorf("manifest %d is refused without any attack: %v", i, err)
				}
			}
			attacks, err := tt.attacks()
			if err != nil {
				t.Fatal(err)
			}
			accepted := map[string]bool{}
			for _, h := range attacks {
				if tryCreate(t, h.Manifest) == nil {
					accepted[h.Field] = true
				}
			}
			if diff := cmp.Diff(tt.accepted, slices.Sorted(maps.Keys(accepted))); diff != "" {
				t.Errorf("fields with a hostile text that the API server accepts (-want +got):\n%s", diff)
			}
		})
	}
}

// tryCreate asks the API server to create an object, in a dry run.
func tryCreate(t *testing.T, manifest []byte) error {
	t.Helper()
	var u unstructured.Unstructured
	if err := json.Unmarshal(manifest, &u.Object); err != nil {
		t.Fatal(err)
	}
	return apiserver(t).Create(t.Context(), &u, client.DryRunAll, client.FieldValidation(metav1.FieldValidationStrict))
}
