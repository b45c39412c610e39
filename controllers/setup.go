// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/config"
)

// firstRetry and lastRetry are the limits of the delay after a failed reconcile. Even the longest is short compared
// with a benchmark.
const (
	firstRetry = 100 * time.Millisecond
	lastRetry  = time.Minute
)

// controllerName is the reporting controller of events.
const controllerName = "zfsbench.io/operator"

// Setup adds the controller and its metrics to a manager, whose cache was made with CacheOptions. version is the
// manager's own.
func Setup(mgr ctrl.Manager, c config.Manager, version string) error {
	r := &Reconciler{
		Client:      mgr.GetClient(),
		APIReader:   mgr.GetAPIReader(),
		Recorder:    mgr.GetEventRecorder(controllerName),
		Config:      c,
		Clock:       clock.RealClock{},
		Metrics:     NewMetrics(mgr.GetClient()),
		Version:     version,
		MemoryLimit: debug.SetMemoryLimit(-1), // a negative value only reads it
	}
	if err := metrics.Registry.Register(r.Metrics); err != nil {
		return fmt.Errorf("register metrics: %w", err)
	}
	return r.SetupWithManager(mgr)
}

// retries are the options of every controller.
func retries() controller.Options {
	return controller.Options{
		RateLimiter: workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](firstRetry, lastRetry),
	}
}

// SetupWithManager watches everything that a decision depends on.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	if err := mgr.GetFieldIndexer().IndexField(context.Background(), &corev1.PersistentVolume{}, volumeIndex,
		indexVolume); err != nil {
		return fmt.Errorf("index PersistentVolumes: %w", err)
	}
	of := handler.EnqueueRequestsFromMapFunc(r.benchmarkOf)
	err := ctrl.NewControllerManagedBy(mgr).
		Named("zfsbenchmark").
		WithOptions(retries()).
		For(&v1alpha1.ZfsBenchmark{}).
		Watches(&v1alpha1.ZfsBenchmark{}, handler.EnqueueRequestsFromMapFunc(r.queuedBehind),
			builder.WithPredicates(queueChanges())).
		Watches(&corev1.ConfigMap{}, of).
		Watches(&batchv1.Job{}, of).
		Watches(&corev1.Pod{}, of).
		Watches(&coordinationv1.Lease{}, handler.EnqueueRequestsFromMapFunc(r.waitingForLease)).
		Watches(&corev1.Node{}, handler.EnqueueRequestsFromMapFunc(r.unfinished), builder.WithPredicates(nodeChanges())).
		Watches(&v1alpha1.BenchmarkDevicePolicy{}, handler.EnqueueRequestsFromMapFunc(r.unfinished),
			builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Watches(&v1alpha1.NodeStorage{}, handler.EnqueueRequestsFromMapFunc(r.waitingForDisks)).
		Complete(r)
	if err != nil {
		return fmt.Errorf("set up controller: %w", err)
	}
	if err := r.setupNodeStorage(mgr); err != nil {
		return err
	}
	if err := r.setupPolicyStatus(mgr); err != nil {
		return err
	}
	return r.setupSweep(mgr)
}
