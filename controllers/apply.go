// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/internal/kube/jobspec"
)

// apply creates or corrects an object by server-side apply and returns the API's answer. The object must have its kind
// set.
func (r *Reconciler) apply(ctx context.Context, object client.Object) (*unstructured.Unstructured, error) {
	u, err := applyConfiguration(object)
	if err != nil {
		return nil, fmt.Errorf("apply %s: %w", object.GetName(), err)
	}
	err = r.Apply(ctx, client.ApplyConfigurationFromUnstructured(u), client.FieldOwner(jobspec.FieldOwner),
		client.ForceOwnership)
	if err != nil {
		return nil, fmt.Errorf("apply %s %s: %w", u.GetKind(), object.GetName(), err)
	}
	return u, nil
}

// applyConfiguration leaves out fields that the manager does not own: status, which typed objects always have.
func applyConfiguration(object client.Object) (*unstructured.Unstructured, error) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		return nil, err
	}
	u := &unstructured.Unstructured{Object: content}
	unstructured.RemoveNestedField(u.Object, "status")
	unstructured.RemoveNestedField(u.Object, "metadata", "creationTimestamp")
	unstructured.RemoveNestedField(u.Object, "spec", "template", "metadata", "creationTimestamp")
	return u, nil
}
