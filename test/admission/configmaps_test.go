// SPDX-License-Identifier: Apache-2.0

package admission_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/kube/jobspec"
)

// TestConfigMaps lets a runner write into its own ConfigMap, and nothing that would outlive its benchmark.
func TestConfigMaps(t *testing.T) {
	const refusal = "a runner changes what its ConfigMaps contain, not their annotations, labels, owners and finalizers"
	s, run := apiserver(t), newRun(t, "configmaps")
	manager := s.as(t, managerUser)
	progress := run.ProgressConfigMap("")
	for _, object := range []client.Object{run.ServiceAccount(), run.Role(), run.RoleBinding(), progress} {
		check(t, apply(t, manager, object), "")
	}
	user := "system:serviceaccount:" + runnerNamespace + ":" + run.Base()
	own := question{resource: "configmaps", name: jobspec.ProgressName(run.Base()), namespace: runnerNamespace}
	access{may: each(own, "patch")}.check(t, user)
	patch := func(user, text string) error {
		return s.as(t, user).Patch(t.Context(), &corev1.ConfigMap{ObjectMeta: progress.ObjectMeta},
			client.RawPatch(types.MergePatchType, []byte(text)))
	}
	tests := map[string]struct{ patch, want string }{
		"data":        {patch: `{"data": {"progress.json": "{}"}}`},
		"a finalizer": {patch: `{"metadata": {"finalizers": ["example.com/forever"]}}`, want: refusal},
		"an annotation": {patch: `{"metadata": {"annotations": {"` + jobspec.AnnotationSuspend + `": "true"}}}`,
			want: refusal},
		"a label":   {patch: `{"metadata": {"labels": {"` + v1alpha1.LabelBenchmarkUID + `": "another"}}}`, want: refusal},
		"no labels": {patch: `{"metadata": {"labels": null}}`, want: refusal},
		"an owner": {
			patch: `{"metadata": {"ownerReferences": [{"apiVersion": "v1", "kind": "ConfigMap", "name": "x", "uid": "y"}]}}`,
			want:  refusal,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) { check(t, patch(user, tt.patch), tt.want) })
	}
	t.Run("a finalizer, as the garbage collector", func(t *testing.T) {
		check(t, patch(garbageCollector, `{"metadata": {"finalizers": ["foregroundDeletion"]}}`), "")
	})
}
