// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"zfsbench.io/operator/api/v1alpha1"
)

// adopt puts the finalizer on the benchmark before anything is made for it.
func (r *Reconciler) adopt(ctx context.Context, s *scope) (bool, error) {
	if controllerutil.ContainsFinalizer(s.benchmark, v1alpha1.Finalizer) {
		return false, nil
	}
	adopted := s.benchmark.DeepCopy()
	controllerutil.AddFinalizer(adopted, v1alpha1.Finalizer)
	if err := r.patchMetadata(ctx, s, adopted); err != nil {
		return true, fmt.Errorf("add finalizer: %w", err)
	}
	return false, nil
}

// patchMetadata writes the metadata of changed, a copy of the scope's benchmark, and copies the API's answer into the
// scope.
func (r *Reconciler) patchMetadata(ctx context.Context, s *scope, changed *v1alpha1.ZfsBenchmark) error {
	patch := client.MergeFromWithOptions(s.benchmark, client.MergeFromWithOptimisticLock{})
	if err := r.Patch(ctx, changed, patch); err != nil {
		return err
	}
	s.benchmark.ObjectMeta = changed.ObjectMeta
	s.before.ObjectMeta = *changed.ObjectMeta.DeepCopy()
	return nil
}
