// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/kube/jobspec"
)

// benchmarkOf returns the benchmark for which an object in the runner namespace was made.
func (r *Reconciler) benchmarkOf(ctx context.Context, object client.Object) []reconcile.Request {
	uid := object.GetLabels()[v1alpha1.LabelBenchmarkUID]
	return r.requests(ctx, func(b *v1alpha1.ZfsBenchmark) bool { return string(b.UID) == uid })
}

// waitingForLease returns the lease's holder and all benchmarks in its node's queue; for a disk's lease, in any queue.
func (r *Reconciler) waitingForLease(ctx context.Context, lease client.Object) []reconcile.Request {
	uid, disk := lease.GetLabels()[v1alpha1.LabelBenchmarkUID], jobspec.IsDiskLease(lease.GetName())
	return r.requests(ctx, func(b *v1alpha1.ZfsBenchmark) bool {
		return string(b.UID) == uid || waitsFor(b, lease.GetName()) || disk && len(queuedFor(b)) > 0
	})
}

// queuedBehind returns the benchmarks that wait for the same node as the changed one: their position may have changed.
func (r *Reconciler) queuedBehind(ctx context.Context, changed client.Object) []reconcile.Request {
	benchmark, ok := changed.(*v1alpha1.ZfsBenchmark)
	if !ok {
		return nil
	}
	return r.requests(ctx, func(b *v1alpha1.ZfsBenchmark) bool {
		return b.UID != benchmark.UID && slices.ContainsFunc(benchmark.Status.Nodes, func(node v1alpha1.NodeStatus) bool {
			return waitsFor(b, node.UID)
		})
	})
}

// unfinished returns all benchmarks that a node or a policy may still affect.
func (r *Reconciler) unfinished(ctx context.Context, _ client.Object) []reconcile.Request {
	return r.requests(ctx, func(b *v1alpha1.ZfsBenchmark) bool {
		return !b.DeletionTimestamp.IsZero() || !isTrue(&b.Status, v1alpha1.ConditionFinished)
	})
}

// requests returns the benchmarks that match, from the cache.
func (r *Reconciler) requests(ctx context.Context, match func(*v1alpha1.ZfsBenchmark) bool) []reconcile.Request {
	var benchmarks v1alpha1.ZfsBenchmarkList
	if err := r.List(ctx, &benchmarks); err != nil {
		log.FromContext(ctx).Error(err, "list benchmarks for an event")
		return nil
	}
	var requests []reconcile.Request
	for i := range benchmarks.Items {
		if match(&benchmarks.Items[i]) {
			requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&benchmarks.Items[i])})
		}
	}
	return requests
}

// queueChanges selects the changes of a benchmark that affect the benchmarks queued behind it.
func queueChanges() predicate.Predicate {
	return predicate.Funcs{
		CreateFunc:  func(event.CreateEvent) bool { return false },
		DeleteFunc:  func(event.DeleteEvent) bool { return true },
		GenericFunc: func(event.GenericEvent) bool { return false },
		UpdateFunc: func(e event.UpdateEvent) bool {
			before, ok1 := e.ObjectOld.(*v1alpha1.ZfsBenchmark)
			after, ok2 := e.ObjectNew.(*v1alpha1.ZfsBenchmark)
			return ok1 && ok2 && !slices.Equal(queuedFor(before), queuedFor(after))
		},
	}
}

// queuedFor returns the UIDs of the nodes that a benchmark waits for.
func queuedFor(benchmark *v1alpha1.ZfsBenchmark) []string {
	var uids []string
	for _, node := range benchmark.Status.Nodes {
		if waitsFor(benchmark, node.UID) {
			uids = append(uids, node.UID)
		}
	}
	return uids
}

// nodeChanges selects the changes of a node that a decision depends on; a kubelet writes its status far more often.
func nodeChanges() predicate.Predicate {
	return predicate.Funcs{
		UpdateFunc: func(e event.UpdateEvent) bool {
			before, ok1 := e.ObjectOld.(*corev1.Node)
			after, ok2 := e.ObjectNew.(*corev1.Node)
			return ok1 && ok2 && (nodeReady(before) != nodeReady(after) || isOutOfService(before) != isOutOfService(after) ||
				before.UID != after.UID ||
				before.Spec.Unschedulable != after.Spec.Unschedulable || !maps.Equal(before.Labels, after.Labels))
		},
	}
}
