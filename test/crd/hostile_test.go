// SPDX-License-Identifier: Apache-2.0

package crd_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
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
				if err := dryRun(t.Context(), apiserver(t), document); err != nil {
					t.Errorf("manifest %d is refused without any attack: %v", i, err)
				}
			}
			attacks, err := tt.attacks()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.accepted, acceptedFields(t, attacks)); diff != "" {
				t.Errorf("fields with a hostile text that the API server accepts (-want +got):\n%s", diff)
			}
		})
	}
}

// acceptedFields are the fields, in order, in which the API server accepts a hostile text. It sends several requests at
// a time, because there are thousands. Only a refusal is a verdict: any other error fails the test.
func acceptedFields(t *testing.T, attacks []validatetest.Hostile) []string {
	t.Helper()
	c := apiserver(t)
	accepted := make([]bool, len(attacks))
	var group errgroup.Group
	group.SetLimit(8)
	for i, h := range attacks {
		group.Go(func() error {
			err := dryRun(t.Context(), c, h.Manifest)
			accepted[i] = err == nil
			if err == nil || apierrors.IsInvalid(err) || apierrors.IsBadRequest(err) {
				return nil
			}
			return fmt.Errorf("%s with %s: %w", h.Field, h.Attack, err)
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	fields := map[string]bool{}
	for i, h := range attacks {
		if accepted[i] {
			fields[h.Field] = true
		}
	}
	return slices.Sorted(maps.Keys(fields))
}

// dryRun asks the API server to create an object, in a dry run.
func dryRun(ctx context.Context, c client.Client, manifest []byte) error {
	var u unstructured.Unstructured
	if err := json.Unmarshal(manifest, &u.Object); err != nil {
		return err
	}
	return c.Create(ctx, &u, client.DryRunAll, client.FieldValidation(metav1.FieldValidationStrict))
}
