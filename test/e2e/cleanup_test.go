// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/api/v1alpha1"
)

// tearDown removes what the tests made, benchmarks first; the operator stays for the next run.
func (e *environment) tearDown() error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return e.clear(ctx)
}

// clear removes the namespaces and policies that the tests made. An interrupted run leaves its own: with one policy
// more a benchmark runs that has to wait, and one benchmark more keeps the node from all others.
func (e *environment) clear(ctx context.Context) error {
	namespaces, policies := &corev1.NamespaceList{}, &v1alpha1.BenchmarkDevicePolicyList{}
	errs := []error{e.client.List(ctx, namespaces), e.client.List(ctx, policies)}
	for i := range namespaces.Items {
		if name := namespaces.Items[i].Name; name == benchNamespace || strings.HasPrefix(name, benchNamespace+"-") {
			errs = append(errs, e.deleteNamespace(ctx, name))
		}
	}
	for i := range policies.Items {
		name := strings.TrimPrefix(policies.Items[i].Name, "zfsbench-")
		if name == "e2e" || strings.HasPrefix(name, "e2e-") {
			errs = append(errs, client.IgnoreNotFound(e.client.Delete(ctx, &policies.Items[i])))
		}
	}
	return errors.Join(errs...)
}

// deleteNamespace deletes a namespace and waits until it is gone.
func (e *environment) deleteNamespace(ctx context.Context, name string) error {
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if err := client.IgnoreNotFound(e.client.Delete(ctx, namespace)); err != nil {
		return err
	}
	err := wait.PollUntilContextCancel(ctx, time.Second, true, func(ctx context.Context) (bool, error) {
		err := e.client.Get(ctx, client.ObjectKeyFromObject(namespace), namespace)
		return apierrors.IsNotFound(err), client.IgnoreNotFound(err)
	})
	if err != nil {
		return fmt.Errorf("delete namespace %s: %w", name, err)
	}
	return nil
}

// offer adds a policy for one more disk for the duration of a test.
func (e *environment) offer(t *testing.T, name string, d disk) {
	t.Helper()
	e.grant(t, name, v1alpha1.BenchmarkDevicePolicySpec{Devices: []v1alpha1.PolicyDevice{d.consent()}})
}

// grant adds a policy for the node under test and the benchmarks' namespace for the duration of a test.
func (e *environment) grant(t *testing.T, name string, spec v1alpha1.BenchmarkDevicePolicySpec) {
	t.Helper()
	spec.Node = v1alpha1.PolicyNode{Name: e.node.Name, UID: string(e.node.UID)}
	spec.Namespaces = []string{benchNamespace}
	policy := &v1alpha1.BenchmarkDevicePolicy{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: spec}
	if err := e.client.Create(t.Context(), policy); err != nil {
		t.Fatalf("create policy %s: %v", name, err)
	}
	t.Cleanup(func() {
		if err := client.IgnoreNotFound(e.client.Delete(context.Background(), policy)); err != nil {
			t.Errorf("delete policy %s: %v", name, err)
		}
	})
}
