// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"zfsbench.io/operator/api/v1alpha1"
)

// sweep is the only request of the sweep, which looks at everything.
func sweep() reconcile.Request {
	return reconcile.Request{NamespacedName: types.NamespacedName{Name: "all"}}
}

// setupSweep adds the sweep to a manager. It runs at the start, when an object changes whose benchmark the cache does
// not have, when a benchmark is deleted, and every ten minutes.
func (r *Reconciler) setupSweep(mgr ctrl.Manager) error {
	o := &orphans{Reconciler: r, reported: map[string]reportedOrphan{}}
	of := handler.EnqueueRequestsFromMapFunc(o.suspects)
	always := handler.EnqueueRequestsFromMapFunc(func(context.Context, client.Object) []reconcile.Request {
		return []reconcile.Request{sweep()}
	})
	err := ctrl.NewControllerManagedBy(mgr).
		Named("orphans").
		WithOptions(retries()).
		WatchesRawSource(source.Func(atStart)).
		Watches(&corev1.ConfigMap{}, of).
		Watches(&batchv1.Job{}, of).
		Watches(&corev1.Pod{}, of).
		Watches(&coordinationv1.Lease{}, of).
		Watches(&v1alpha1.ZfsBenchmark{}, always, builder.WithPredicates(deletions())).
		Complete(o)
	if err != nil {
		return fmt.Errorf("set up the sweep for objects without a benchmark: %w", err)
	}
	return nil
}

// atStart requests the first sweep.
func atStart(_ context.Context, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
	queue.Add(sweep())
	return nil
}

// suspects requests a sweep if the object's benchmark is not in the cache.
func (o *orphans) suspects(ctx context.Context, object client.Object) []reconcile.Request {
	if object.GetLabels()[v1alpha1.LabelBenchmarkUID] == "" || len(o.benchmarkOf(ctx, object)) > 0 {
		return nil
	}
	return []reconcile.Request{sweep()}
}

func deletions() predicate.Predicate {
	return predicate.Funcs{
		CreateFunc:  func(event.CreateEvent) bool { return false },
		UpdateFunc:  func(event.UpdateEvent) bool { return false },
		GenericFunc: func(event.GenericEvent) bool { return false },
	}
}
