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
	if variants, err := claiming(s.benchmark); err == nil && variants == nil && !s.orphan {
		return nil, nil // else there may be something
	}
	left, err := r.listClaimed(ctx, of)
	if err != nil {
		return nil, err
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

// listClaimed lists what was made for claims, past the cache, which does not hold these objects.
func (r *Reconciler) listClaimed(ctx context.Context, of client.MatchingLabels) ([]client.Object, error) {
	var pods corev1.PodList
	var pvcs corev1.PersistentVolumeClaimList
	var classes storagev1.StorageClassList
	here := client.InNamespace(r.Config.CSI.Namespace)
	if err := errors.Join(r.APIReader.List(ctx, &pods, of, here), r.APIReader.List(ctx, &pvcs, of, here), r.APIReader.List(ctx, &classes, of)); err != nil {
		return nil, fmt.Errorf("list what is left of claims: %w", err)
	}
	return slices.Concat(objectsOf(pods.Items), objectsOf(pvcs.Items), objectsOf(classes.Items)), nil
}

// objectsOf are the items of a list, of whatever kind.
func objectsOf[T any, P interface {
	*T
	client.Object
}](items []T) []client.Object {
	var objects []client.Object
	for i := range items {
		objects = append(objects, P(&items[i]))
	}
	return objects
}

// ofBenchmark selects the objects of all of a benchmark's nodes.
func ofBenchmark(uid string) client.MatchingLabels {
	return client.MatchingLabels{v1alpha1.LabelBenchmarkUID: uid, jobspec.LabelManagedBy: jobspec.ManagedBy}
}

// claiming are a benchmark's variants if any of them claims a volume, nil if none does. The error says that the spec makes none: this manager does not understand it, but another version may have run it.
func claiming(b *v1alpha1.ZfsBenchmark) ([]matrix.Variant, error) {
	variants, err := matrix.Expand(b.Spec)
	if err != nil || !slices.ContainsFunc(variants, matrix.Variant.Claims) {
		return nil, err
	}
	return variants, nil
}
