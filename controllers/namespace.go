// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"zfsbench.io/operator/api/v1alpha1"
)

// loadNamespace gets the UID of the benchmark's namespace, if a policy names one for it. It asks the API: few policies
// name UIDs, and a cache would hold every namespace of the cluster.
func (r *Reconciler) loadNamespace(ctx context.Context, s *scope) error {
	if !namesUID(s.policies, s.benchmark.Namespace) {
		return nil
	}
	namespace := &metav1.PartialObjectMetadata{}
	namespace.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Namespace"))
	if err := r.APIReader.Get(ctx, types.NamespacedName{Name: s.benchmark.Namespace}, namespace); err != nil {
		return fmt.Errorf("get namespace %s: %w", s.benchmark.Namespace, err)
	}
	s.namespaceUID = string(namespace.UID)
	return nil
}

// namesUID says whether a policy names the UID of a namespace.
func namesUID(policies []v1alpha1.BenchmarkDevicePolicy, namespace string) bool {
	return slices.ContainsFunc(policies, func(p v1alpha1.BenchmarkDevicePolicy) bool {
		return slices.ContainsFunc(p.Spec.NamespaceUIDs, func(n v1alpha1.PolicyNamespaceUID) bool {
			return n.Name == namespace
		})
	})
}
