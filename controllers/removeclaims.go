// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/kube/jobspec"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/spec/matrix"
)

// removeClaims removes what is left of a benchmark's claims, and says what is still there. Normally runners and cleanup
// Jobs request the removal in order, and wait for the driver. This is for nodes that were given up, and for objects
// that a runner never reported.
func (r *Reconciler) removeClaims(ctx context.Context, s *scope, of client.MatchingLabels) (waits []string, err error) {
	if !r.Config.CSI.Enabled {
		return nil, nil
	}
	if variants, err := claiming(s.benchmark); err == nil && variants == nil && !s.orphan {
		return nil, nil // if the spec cannot be expanded, there may be claims
	}
	left, err := r.listClaimed(ctx, of)
	if err != nil {
		return nil, err
	}
	var errs []error
	for _, object := range left {
		if object.GetLabels()[jobspec.LabelManagedBy] != jobspec.ManagedBy {
			continue
		}
		err := r.keepDoubtful(ctx, s, object)
		if err == nil {
			err = r.removeClaimed(ctx, object)
		}
		errs = append(errs, err)
	}
	if len(left) > 0 {
		waits = append(waits, "Removing "+nameObjects(left)+".")
	}
	return waits, errors.Join(errs...)
}

// listClaimed lists what was made for claims, from the API: the cache does not hold these objects.
func (r *Reconciler) listClaimed(ctx context.Context, of client.MatchingLabels) ([]client.Object, error) {
	var pods corev1.PodList
	var pvcs corev1.PersistentVolumeClaimList
	var classes storagev1.StorageClassList
	here := client.InNamespace(r.Config.CSI.Namespace)
	if err := errors.Join(r.APIReader.List(ctx, &pods, of, here), r.APIReader.List(ctx, &pvcs, of, here),
		r.APIReader.List(ctx, &classes, of)); err != nil {
		return nil, fmt.Errorf("list what is left of claims: %w", err)
	}
	return slices.Concat(objectsOf(pods.Items), objectsOf(pvcs.Items), objectsOf(classes.Items)), nil
}

// objectsOf are pointers to the items of a typed list.
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

// keepDoubtful keeps the volume of a claim to an existing class, unless the volume was made for the claim and its
// runner has recorded that it was empty. It needs no plan: a class that the benchmark made has the same name as the
// claim.
func (r *Reconciler) keepDoubtful(ctx context.Context, s *scope, object client.Object) error {
	pvc, isClaim := object.(*corev1.PersistentVolumeClaim)
	if !isClaim || ptr.Deref(pvc.Spec.StorageClassName, "") == pvc.Name {
		return nil
	}
	e, err := r.evidenceOf(ctx, pvc)
	if err != nil || e.volume == nil || isKept(e.volume) {
		return err
	}
	why := e.doubt()
	if why == "" && !s.foundEmpty(pvc.Name) {
		why = whyNotEmpty
	}
	if why == "" {
		return nil
	}
	return r.keepVolume(ctx, s, e.volume, why)
}

// foundEmpty says that the runner of a claim has recorded that its volume was empty, and does not request to keep it.
func (s *scope) foundEmpty(claim string) bool {
	return slices.ContainsFunc(s.runs, func(n *nodeRun) bool {
		asked := n.claimRequest != nil && n.claimRequest.Want == result.ClaimKept
		return n.run != nil && n.run.Base() == claim && n.foundEmpty && !asked
	})
}

// maxNamed bounds how many objects a message names.
const maxNamed = 5

// nameObjects names objects of claims, and says how many more there are.
func nameObjects(objects []client.Object) string {
	var names []string
	for _, object := range objects[:min(maxNamed, len(objects))] {
		kind := "StorageClass" // an object of a list does not say its kind
		switch object.(type) {
		case *corev1.Pod:
			kind = "pod"
		case *corev1.PersistentVolumeClaim:
			kind = "claim"
		}
		names = append(names, kind+" "+object.GetName())
	}
	if more := len(objects) - maxNamed; more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}

// ofBenchmark selects the objects of all of a benchmark's nodes.
func ofBenchmark(uid string) client.MatchingLabels {
	return client.MatchingLabels{v1alpha1.LabelBenchmarkUID: uid, jobspec.LabelManagedBy: jobspec.ManagedBy}
}

// claiming returns a benchmark's variants if any of them claims a volume, or nil. It returns an error if the spec
// cannot be expanded: this manager does not understand it, but another version may have run it.
func claiming(b *v1alpha1.ZfsBenchmark) ([]matrix.Variant, error) {
	variants, err := matrix.Expand(b.Spec)
	if err != nil || !slices.ContainsFunc(variants, matrix.Variant.Claims) {
		return nil, err
	}
	return variants, nil
}
