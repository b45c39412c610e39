// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e

import (
	"context"
	"strings"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	eventsv1 "k8s.io/api/events/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/api/v1alpha1"
)

// TestForcedAwayIsCleanedUp removes the finalizer of a benchmark in the middle of its workload: with nobody it belongs
// to, the pool goes all the same, and the node is free for the next one.
func TestForcedAwayIsCleanedUp(t *testing.T) {
	obj := newBenchmark("forced-away").disks(v1alpha1.VdevMirror, 2).
		fio("long", v1alpha1.FioRandWrite, "16k", "64Mi", timeBased(20*time.Minute)).apply(t)
	awaitWorkload(t, obj, "long")
	forceAway(t, obj)
	await(t, "the node's lease gone", func() (bool, error) {
		err := suite.client.Get(t.Context(), client.ObjectKey{Namespace: runnerNamespace, Name: string(suite.node.UID)},
			&coordinationv1.Lease{})
		return apierrors.IsNotFound(err), client.IgnoreNotFound(err)
	}, func() string { return "the node is still taken" })
	assertNothingLeft(t, obj)
	await(t, "the last event about the node", func() (bool, error) {
		var events eventsv1.EventList
		err := suite.client.List(t.Context(), &events, client.InNamespace(metav1.NamespaceDefault))
		for _, e := range events.Items {
			if e.Regarding.Name == suite.node.Name && e.Reason == v1alpha1.ReasonOrphanRemoved &&
				strings.Contains(e.Note, string(obj.UID)) {
				return true, nil
			}
		}
		return false, err
	}, func() string { return "there is no such event" })
}

// forceAway deletes a benchmark and takes away its finalizer, as an administrator can.
func forceAway(t *testing.T, obj *v1alpha1.ZfsBenchmark) {
	t.Helper()
	if err := suite.client.Delete(t.Context(), obj); err != nil {
		t.Fatal(err)
	}
	none := client.RawPatch(types.MergePatchType, []byte(`{"metadata": {"finalizers": null}}`))
	if err := client.IgnoreNotFound(suite.client.Patch(t.Context(), obj.DeepCopy(), none)); err != nil {
		t.Fatal(err)
	}
	awaitGone(t, obj)
}

// TestEditorMayNotAbandon lets somebody who may do everything in the benchmarks' namespace neither give up a node nor
// take away a finalizer.
func TestEditorMayNotAbandon(t *testing.T) {
	const user = "e2e-owner"
	owner := clientOfOwner(t, user)
	obj := newBenchmark("not-abandoned").files(1, "512Mi").
		fio("long", v1alpha1.FioRandWrite, "16k", "64Mi", timeBased(20*time.Minute)).apply(t)
	awaitWorkload(t, obj, "long")
	for what, patch := range map[string]string{
		"give up the node": `{"metadata": {"annotations": {"` + v1alpha1.AnnotationAbandonNode + `": "` +
			suite.node.Name + `"}}}`,
		"take away the finalizer": `{"metadata": {"finalizers": null}}`,
	} {
		err := owner.Patch(t.Context(), obj.DeepCopy(), client.RawPatch(types.MergePatchType, []byte(patch)))
		if err == nil || !strings.Contains(err.Error(), "denied request") {
			t.Errorf("%s could %s: %v", user, what, err)
		}
	}
	remove(t, obj)
	assertNothingLeft(t, obj)
}

// clientOfOwner is a client of a user who may do everything in the benchmarks' namespace, for the duration of a test.
func clientOfOwner(t *testing.T, user string) client.Client {
	t.Helper()
	meta := metav1.ObjectMeta{Name: user, Namespace: benchNamespace}
	objects := []client.Object{
		&rbacv1.Role{ObjectMeta: meta, Rules: []rbacv1.PolicyRule{{APIGroups: []string{"*"}, Resources: []string{"*"},
			Verbs: []string{"*"}}}},
		&rbacv1.RoleBinding{
			ObjectMeta: meta, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: user},
			Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user}},
		},
	}
	for _, object := range objects {
		if err := suite.client.Create(t.Context(), object); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = suite.client.Delete(context.Background(), object) })
	}
	config := rest.CopyConfig(suite.config)
	config.Impersonate = rest.ImpersonationConfig{UserName: user, Groups: []string{"system:authenticated"}}
	owner, err := client.New(config, client.Options{Scheme: suite.client.Scheme()})
	if err != nil {
		t.Fatal(err)
	}
	return owner
}
