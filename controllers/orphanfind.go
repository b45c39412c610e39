// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/kube/jobspec"
)

// pageSize is how many objects are listed at once past the cache.
const pageSize = 500

// find lists the benchmarks that are gone although objects of theirs exist. Suspects usually come from the cache, which
// is cheap. At the start, every ten minutes and while something is being removed, they come from the API: a cache may
// still show what etcd lost when it was restored. Then find asks the API which benchmarks exist, and after that which
// objects: a benchmark that was deleted properly has none left.
func (o *orphans) find(ctx context.Context) ([]orphan, error) {
	now := o.Clock.Now()
	thorough := o.lastListed.IsZero() || now.Sub(o.lastListed) >= sweepEvery || len(o.reported) > 0
	suspects := o.cachedSuspects
	if thorough {
		suspects = o.listedSuspects
	}
	objects, err := suspects(ctx)
	if err != nil {
		return nil, err
	}
	var found []orphan
	if len(objects) > 0 {
		if found, err = o.confirm(ctx, objects); err != nil {
			return nil, err
		}
	}
	if thorough {
		o.lastListed = now
	}
	return found, nil
}

// confirm asks the API which of these objects have no benchmark.
func (o *orphans) confirm(ctx context.Context, objects []client.Object) ([]orphan, error) {
	alive, err := o.listBenchmarks(ctx)
	if err != nil {
		return nil, err
	}
	var found []orphan
	for _, suspect := range ownerless(objects, alive) {
		left, err := o.listOwn(ctx, ofBenchmark(string(suspect.uid)))
		if err != nil {
			return nil, err
		}
		found = append(found, ownerless(left, alive)...)
	}
	return found, nil
}

// cachedSuspects are all objects of benchmarks in the cache, or none if the cache has the benchmark of every object.
func (o *orphans) cachedSuspects(ctx context.Context) ([]client.Object, error) {
	managed := client.MatchingLabels{jobspec.LabelManagedBy: jobspec.ManagedBy}
	var documents corev1.ConfigMapList
	var jobs batchv1.JobList
	var pods corev1.PodList
	var leases coordinationv1.LeaseList
	for _, list := range []client.ObjectList{&documents, &jobs, &pods, &leases} {
		if err := o.List(ctx, list, client.InNamespace(o.Config.RunnerNamespace), managed); err != nil {
			return nil, fmt.Errorf("list what benchmarks have: %w", err)
		}
	}
	objects := slices.Concat(
		objectsOf(documents.Items), objectsOf(jobs.Items), objectsOf(pods.Items), objectsOf(leases.Items),
	)
	objects, err := o.addClaimed(ctx, objects, managed)
	if err != nil {
		return nil, err
	}
	var known v1alpha1.ZfsBenchmarkList
	if err := o.List(ctx, &known); err != nil {
		return nil, fmt.Errorf("list benchmarks: %w", err)
	}
	alive := map[types.UID]bool{}
	for i := range known.Items {
		alive[known.Items[i].UID] = true
	}
	if len(ownerless(objects, alive)) == 0 {
		return nil, nil
	}
	return objects, nil
}

// listedSuspects are all objects of benchmarks, past the cache.
func (o *orphans) listedSuspects(ctx context.Context) ([]client.Object, error) {
	return o.listOwn(ctx, client.MatchingLabels{jobspec.LabelManagedBy: jobspec.ManagedBy})
}

// listOwn lists the objects that the manager made for benchmarks, from the API and without their contents. It lists
// only the kinds by which an orphan is found: other objects are deleted with the plan that owns them.
func (o *orphans) listOwn(ctx context.Context, of client.MatchingLabels) ([]client.Object, error) {
	var objects []client.Object
	for _, kind := range []schema.GroupVersionKind{
		corev1.SchemeGroupVersion.WithKind("ConfigMap"), batchv1.SchemeGroupVersion.WithKind("Job"),
		corev1.SchemeGroupVersion.WithKind("Pod"), coordinationv1.SchemeGroupVersion.WithKind("Lease"),
	} {
		listed, err := o.listMetadata(ctx, kind, client.InNamespace(o.Config.RunnerNamespace), of)
		if err != nil {
			return nil, fmt.Errorf("list what benchmarks have: %w", err)
		}
		objects = append(objects, objectsOf(listed)...)
	}
	return o.addClaimed(ctx, objects, of)
}

func (o *orphans) addClaimed(
	ctx context.Context, objects []client.Object, of client.MatchingLabels,
) ([]client.Object, error) {
	if !o.Config.CSI.Enabled {
		return objects, nil
	}
	claimed, err := o.listClaimed(ctx, of)
	return append(objects, claimed...), err
}

// listBenchmarks returns the UIDs of all benchmarks that the API has.
func (o *orphans) listBenchmarks(ctx context.Context) (map[types.UID]bool, error) {
	listed, err := o.listMetadata(ctx, v1alpha1.GroupVersion.WithKind("ZfsBenchmark"))
	if err != nil {
		return nil, fmt.Errorf("list benchmarks: %w", err)
	}
	alive := map[types.UID]bool{}
	for i := range listed {
		alive[listed[i].UID] = true
	}
	return alive, nil
}

// listMetadata lists objects from the API, page by page. All pages must show the same moment: if the API cannot
// continue the list, that is an error.
func (o *orphans) listMetadata(
	ctx context.Context, kind schema.GroupVersionKind, of ...client.ListOption,
) ([]metav1.PartialObjectMetadata, error) {
	var all []metav1.PartialObjectMetadata
	for next := ""; ; {
		var page metav1.PartialObjectMetadataList
		page.SetGroupVersionKind(kind.GroupVersion().WithKind(kind.Kind + "List"))
		options := append(slices.Clone(of), client.Limit(pageSize), client.Continue(next))
		if err := o.APIReader.List(ctx, &page, options...); err != nil {
			return nil, fmt.Errorf("%ss: %w", kind.Kind, err)
		}
		all = append(all, page.Items...)
		if next = page.Continue; next == "" {
			return all, nil
		}
	}
}
