// SPDX-License-Identifier: Apache-2.0

package admission_test

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestWorkloads tries every other kind that makes pods: as the administrator, whom RBAC stops nowhere, and elsewhere,
// where the policy has no say.
func TestWorkloads(t *testing.T) {
	s := apiserver(t)
	for name, object := range workloads() {
		t.Run(name, func(t *testing.T) {
			err := s.admin.Create(t.Context(), object.DeepCopyObject().(client.Object), client.DryRunAll)
			check(t, err, "only Jobs of zfs-benchmark-operator run in this namespace: create a ZfsBenchmark in another one")
			object.SetNamespace(metav1.NamespaceDefault)
			check(t, s.admin.Create(t.Context(), object, client.DryRunAll), "")
		})
	}
}
