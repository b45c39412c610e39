// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/jobspec"
	"zfsbench.io/operator/internal/matrix"
)

// dropClaims removes what is left of a benchmark's claims, and says what is still there. Runners, and the Jobs that clean up after them, have them removed in order and wait for the driver: this is for nodes that
// were given up, and for what a runner never told of.
func (r *Reconciler) dropClaims(ctx context.Context, s *scope, of client.MatchingLabels) (waits []string, err error) {
	if !r.Config.CSI.Enabled {
		return nil, nil
	}
	if variants, err := claiming(s.benchmark); err == nil && variants == nil {
		return nil, nil // else there may be something
	}
	var pods corev1.PodList
	var pvcs corev1.PersistentVolumeClaimList
	var classes storagev1.StorageClassList
	if err := errors.Join(
		r.APIReader.List(ctx, &pods, of, client.InNamespace(r.Config.CSI.Namespace)), r.APIReader.List(ctx, &pvcs, of, client.InNamespace(r.Config.CSI.Namespace)),
		r.APIReader.List(ctx, &classes, of),
	); err != nil {
		return nil, fmt.Errorf("list what is left of claims: %w", err)
	}
	var left []client.Object
	for i := range pods.Items {
		left = append(left, &pods.Items[i])
	}
	for i := range pvcs.Items {
		left = append(left, &pvcs.Items[i])
	}
	for i := range classes.Items {
		left = append(left, &classes.Items[i])
	}
	var errs []error
	for _, object := range left {
		if object.GetLabels()[jobspec.LabelManagedBy] == jobspec.ManagedBy {
			errs = append(errs, r.removeClaimed(ctx, object))
		}
	}
	if len(left) > 0 {
		waits = append(waits, fmt.Sprintf("Removing %d objects of claims.", len(left)))
	}
	return waits, errors.Join(errs...)
}

// ofBenchmark selects the objects of all of a benchmark's nodes.
func (s *scope) ofBenchmark() client.MatchingLabels {
	return client.MatchingLabels{v1alpha1.LabelBenchmarkUID: s.uid(), jobspec.LabelManagedBy: jobspec.ManagedBy}
}

// claiming are a benchmark's variants if any of them claims a volume, nil if none does. The error says that the spec makes none: this manager does not understand it, but another version may have run it.
func claiming(b *v1alpha1.ZfsBenchmark) ([]matrix.Variant, error) {
	variants, err := matrix.Expand(b.Spec)
	if err != nil || !slices.ContainsFunc(variants, matrix.Variant.Claims) {
		return nil, err
	}
	return variants, nil
}
