// SPDX-License-Identifier: Apache-2.0

package admission_test

import (
	"context"
	"encoding/json"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/api/v1alpha1"
)

const (
	// forgetDevices is the annotation that gives up disks.
	forgetDevices = "zfsbench.io/forget-devices"
	// refusesGivingUp and refusesLettingGo are parts of the policy's answers.
	refusesGivingUp  = "takes the verb abandon on benchmarkdevicepolicies.zfsbench.io"
	refusesLettingGo = "the finalizer zfsbench.io/teardown goes when nothing of the benchmark is left"
)

// owner may do everything in one namespace, and storage what policy-admin may, and edit there.
const owner, storage = "owner", "storage"

// people makes the namespace of a test, and gives the two users their roles.
func people(t *testing.T, namespace string) {
	t.Helper()
	admin := apiserver(t).admin
	user := func(name string) []rbacv1.Subject {
		return []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: name}}
	}
	clusterRole := func(name string) rbacv1.RoleRef {
		return rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name}
	}
	for _, object := range []client.Object{
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}},
		&rbacv1.ClusterRole{
			ObjectMeta: metav1.ObjectMeta{Name: namespace + "-everything"},
			Rules:      []rbacv1.PolicyRule{{APIGroups: []string{"*"}, Resources: []string{"*"}, Verbs: []string{"*"}}},
		},
		&rbacv1.RoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: "owner", Namespace: namespace},
			RoleRef:    clusterRole(namespace + "-everything"), Subjects: append(user(owner), user(storage)...),
		},
		&rbacv1.ClusterRoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: namespace + "-storage"},
			RoleRef:    clusterRole("zfs-benchmark-operator-policy-admin"), Subjects: user(storage),
		},
	} {
		if err := admin.Create(t.Context(), object); err != nil {
			t.Fatal(err)
		}
	}
	mine := question{group: "zfsbench.io", resource: "zfsbenchmarks", namespace: namespace}
	policies := question{group: "zfsbench.io", resource: "benchmarkdevicepolicies"}
	access{may: each(mine, "create", "patch"), mayNot: each(policies, "abandon")}.check(t, owner)
	access{may: append(each(policies, "abandon"), each(mine, "patch")...)}.check(t, storage)
}

// benchmark is one of a file, with these annotations.
func benchmark(namespace, name string, annotations map[string]string) *unstructured.Unstructured {
	b := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": v1alpha1.GroupVersion.String(), "kind": "ZfsBenchmark",
		"metadata": map[string]any{"namespace": namespace, "name": name,
			"finalizers": []any{v1alpha1.Finalizer, "example.com/other"}},
		"spec": map[string]any{
			"nodes":     map[string]any{"names": []any{"storage-0"}},
			"devices":   []any{map[string]any{"name": "f0", "file": map[string]any{"size": "1Gi"}}},
			"pool":      map[string]any{"vdevs": []any{map[string]any{"type": "stripe", "devices": []any{"f0"}}}},
			"workloads": []any{map[string]any{"name": "w", "fio": map[string]any{"rw": "write", "bs": "128k", "size": "64Mi"}}},
		},
	}}
	b.SetAnnotations(annotations)
	return b
}

// TestGivingUpTakesAnAdministrator tries, on create and on update, what a person who may do everything in one
// namespace may not.
func TestGivingUpTakesAnAdministrator(t *testing.T) {
	s, namespace := apiserver(t), "giving-up"
	people(t, namespace)
	tests := map[string]struct {
		user, annotation, want string
	}{
		"a node, as owner of the namespace":   {owner, v1alpha1.AnnotationAbandonNode, refusesGivingUp},
		"a disk, as owner of the namespace":   {owner, forgetDevices, refusesGivingUp},
		"a node, as the manager":              {managerUser, v1alpha1.AnnotationAbandonNode, refusesGivingUp},
		"a node, as administrator of storage": {storage, v1alpha1.AnnotationAbandonNode, ""},
		"a disk, as administrator of storage": {storage, forgetDevices, ""},
		"a node, as cluster administrator":    {administrator, v1alpha1.AnnotationAbandonNode, ""},
		"something else":                      {owner, "example.com/note", ""},
	}
	for name, tt := range tests {
		t.Run("create/"+name, func(t *testing.T) {
			if tt.user == managerUser {
				t.Skip("the manager creates no benchmarks")
			}
			b := benchmark(namespace, "created", map[string]string{tt.annotation: "storage-0"})
			check(t, s.as(t, tt.user).Create(t.Context(), b, client.DryRunAll), tt.want)
		})
		t.Run("update/"+name, func(t *testing.T) {
			b := benchmark(namespace, "updated", nil)
			s.create(t, b)
			check(t, s.annotate(t, tt.user, b, tt.annotation, "storage-0"), tt.want)
		})
	}
}

// TestGivenUpStaysWritable changes a benchmark that an administrator has annotated: only the annotation itself is
// theirs.
func TestGivenUpStaysWritable(t *testing.T) {
	s, namespace := apiserver(t), "given-up"
	people(t, namespace)
	b := benchmark(namespace, "given-up", map[string]string{v1alpha1.AnnotationAbandonNode: "storage-0"})
	s.create(t, b)
	check(t, s.annotate(t, owner, b, "example.com/note", "x"), "")
	check(t, s.annotate(t, managerUser, b, "example.com/note", "y"), "")
	check(t, s.annotate(t, owner, b, v1alpha1.AnnotationAbandonNode, "storage-0,storage-1"), refusesGivingUp)
	check(t, s.annotate(t, owner, b, v1alpha1.AnnotationAbandonNode, nil), "")
	check(t, s.annotate(t, owner, b, v1alpha1.AnnotationAbandonNode, "storage-0"), refusesGivingUp)
}

// TestFinalizerIsTheManagers lets nobody end the wait for a teardown but the manager and who may give nodes up.
func TestFinalizerIsTheManagers(t *testing.T) {
	s, namespace := apiserver(t), "finalizer"
	people(t, namespace)
	tests := map[string]struct{ user, patch, want string }{
		"owner, all of them": {owner, `{"metadata": {"finalizers": null}}`, refusesLettingGo},
		"owner, this one":    {owner, `{"metadata": {"finalizers": ["example.com/other"]}}`, refusesLettingGo},
		"owner, another one": {owner, `{"metadata": {"finalizers": ["zfsbench.io/teardown"]}}`, ""},
		"owner, one more": {owner, `{"metadata": {"finalizers": ["zfsbench.io/teardown", "example.com/more"]}}`,
			""},
		"the manager":                 {managerUser, `{"metadata": {"finalizers": ["example.com/other"]}}`, ""},
		"an administrator of storage": {storage, `{"metadata": {"finalizers": null}}`, ""},
		"the garbage collector's waits": {administrator,
			`{"metadata": {"finalizers": ["zfsbench.io/teardown", "foregroundDeletion"]}}`, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			b := benchmark(namespace, "held", nil)
			s.create(t, b)
			check(t, s.as(t, tt.user).Patch(t.Context(), b, client.RawPatch(types.MergePatchType, []byte(tt.patch))), tt.want)
		})
	}
}

// TestReplaceWithoutTheFinalizer: what kubectl replace sends is mostly a manifest that knows of no finalizer. The
// answer says what to do.
func TestReplaceWithoutTheFinalizer(t *testing.T) {
	s, namespace := apiserver(t), "replaced"
	people(t, namespace)
	held := benchmark(namespace, "held", nil)
	s.create(t, held)
	manifest := benchmark(namespace, "held", map[string]string{"example.com/note": "x"})
	manifest.SetResourceVersion(held.GetResourceVersion())
	manifest.SetFinalizers(nil)
	err := s.as(t, owner).Update(t.Context(), manifest.DeepCopy())
	for _, want := range []string{"kubectl apply or kubectl edit", `keep metadata.finalizers: ["zfsbench.io/teardown"]`} {
		check(t, err, want)
	}
	manifest.SetFinalizers([]string{v1alpha1.Finalizer})
	check(t, s.as(t, owner).Update(t.Context(), manifest), "")
}

// TestDeletingANamespaceStillWorks deletes benchmarks as the namespace's controller does, then lets the manager remove
// the finalizer.
func TestDeletingANamespaceStillWorks(t *testing.T) {
	s, namespace := apiserver(t), "going"
	people(t, namespace)
	b := benchmark(namespace, "b", nil)
	b.SetFinalizers([]string{v1alpha1.Finalizer})
	if err := s.admin.Create(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	if err := s.admin.DeleteAllOf(t.Context(), b, client.InNamespace(namespace)); err != nil {
		t.Fatal(err)
	}
	none := client.RawPatch(types.MergePatchType, []byte(`{"metadata": {"finalizers": null}}`))
	check(t, s.as(t, owner).Patch(t.Context(), b.DeepCopy(), none), refusesLettingGo)
	check(t, s.as(t, owner).Patch(t.Context(), b.DeepCopy(), none), "The condition Running says")
	check(t, s.as(t, managerUser).Patch(t.Context(), b, none), "")
	if err := s.admin.Get(t.Context(), client.ObjectKeyFromObject(b), b); !apierrors.IsNotFound(err) {
		t.Errorf("the benchmark is still there: %v", err)
	}
}

// create creates a benchmark for the duration of a test.
func (s *server) create(t *testing.T, b *unstructured.Unstructured) {
	t.Helper()
	if err := s.admin.Create(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		none := client.RawPatch(types.MergePatchType, []byte(`{"metadata": {"finalizers": null}}`))
		ctx := context.Background() // the test's own has ended
		_ = s.admin.Patch(ctx, b, none)
		_ = s.admin.Delete(ctx, b)
	})
}

// annotate sets an annotation as a user; nil removes it.
func (s *server) annotate(t *testing.T, user string, b *unstructured.Unstructured, name string, value any) error {
	t.Helper()
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": map[string]any{name: value}}})
	if err != nil {
		t.Fatal(err)
	}
	return s.as(t, user).Patch(t.Context(), b.DeepCopy(), client.RawPatch(types.MergePatchType, patch))
}
