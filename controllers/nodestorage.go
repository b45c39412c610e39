// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"errors"
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/kube/jobspec"
)

// nodeStorages keeps a NodeStorage for every node that benchmarks may run on. It is no consent: all that a benchmark
// takes from it is which offered disks of a class not to choose.
type nodeStorages struct{ *Reconciler }

// setupNodeStorage adds the controller of NodeStorages to a manager.
func (r *Reconciler) setupNodeStorage(mgr ctrl.Manager) error {
	n := &nodeStorages{r}
	byHash := handler.EnqueueRequestsFromMapFunc(n.nodeOf)
	byName := handler.EnqueueRequestsFromMapFunc(func(_ context.Context, object client.Object) []reconcile.Request {
		return []reconcile.Request{{NamespacedName: types.NamespacedName{Name: object.GetName()}}}
	})
	err := ctrl.NewControllerManagedBy(mgr).
		Named("nodestorage").
		WithOptions(retries()).
		For(&v1alpha1.NodeStorage{}).
		Watches(&corev1.Node{}, byName, builder.WithPredicates(nodeChanges())).
		Watches(&corev1.ConfigMap{}, byHash, builder.WithPredicates(discoveries())).
		Watches(&batchv1.Job{}, byHash, builder.WithPredicates(discoveries())).
		Watches(&corev1.Pod{}, byHash, builder.WithPredicates(discoveries())).
		Watches(&coordinationv1.Lease{}, byHash).
		Watches(&v1alpha1.BenchmarkDevicePolicy{}, handler.EnqueueRequestsFromMapFunc(n.all),
			builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Complete(n)
	if err != nil {
		return fmt.Errorf("set up the controller of NodeStorages: %w", err)
	}
	return nil
}

// discoveries are the objects of discoveries.
func discoveries() predicate.Predicate {
	return predicate.NewPredicateFuncs(func(object client.Object) bool {
		return object.GetLabels()[jobspec.LabelComponent] == jobspec.ComponentDiscovery
	})
}

// nodeOf is the node that an object in the runner namespace is about.
func (n *nodeStorages) nodeOf(ctx context.Context, object client.Object) []reconcile.Request {
	hash := object.GetLabels()[jobspec.LabelNodeHash]
	return n.storages(ctx, func(name string) bool { return jobspec.NodeHash(name) == hash })
}

func (n *nodeStorages) all(ctx context.Context, _ client.Object) []reconcile.Request {
	return n.storages(ctx, func(string) bool { return true })
}

// storages are the NodeStorages whose name matches.
func (n *nodeStorages) storages(ctx context.Context, match func(string) bool) []reconcile.Request {
	var list v1alpha1.NodeStorageList
	if err := n.List(ctx, &list); err != nil {
		log.FromContext(ctx).Error(err, "list NodeStorages for an event")
		return nil
	}
	var requests []reconcile.Request
	for _, each := range list.Items {
		if match(each.Name) {
			requests = append(requests, reconcile.Request{NamespacedName: types.NamespacedName{Name: each.Name}})
		}
	}
	return requests
}

// nodeTakenRetry is when to look again after a discovery could not start. The event of the benchmark's lease comes
// sooner.
const nodeTakenRetry = 10 * time.Second

// Reconcile looks, decides and acts for one node.
func (n *nodeStorages) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	state, err := n.load(ctx, req.Name)
	if err != nil {
		return ctrl.Result{}, err
	}
	var before *v1alpha1.NodeStorage
	if state.object != nil {
		before = state.object.DeepCopy()
	}
	decision := state.decide()
	err = n.act(ctx, state, decision)
	if errors.Is(err, errNodeTaken) { // without a discovery, no request counts as observed
		return ctrl.Result{RequeueAfter: nodeTakenRetry}, nil
	}
	if err != nil {
		return ctrl.Result{}, err
	}
	if before == nil || decision.step == storageDelete {
		return ctrl.Result{}, nil
	}
	state.offer()
	if !equality.Semantic.DeepEqual(before.Status, state.object.Status) {
		err := n.Status().Patch(ctx, state.object, client.MergeFrom(before))
		if client.IgnoreNotFound(err) != nil {
			return ctrl.Result{}, fmt.Errorf("write NodeStorage %s: %w", req.Name, err)
		}
	}
	if decision.step == storageAccept || decision.step == storageFail {
		err = n.removeDiscovery(ctx, state) // only now that the status has what it found
	}
	return ctrl.Result{RequeueAfter: decision.requeueAfter}, err
}

// load gathers what a decision depends on.
func (n *nodeStorages) load(ctx context.Context, name string) (*storageState, error) {
	s := &storageState{now: n.Clock.Now(), interval: n.Config.DiscoveryInterval.Duration}
	var node corev1.Node
	switch err := n.Get(ctx, types.NamespacedName{Name: name}, &node); {
	case err == nil:
		s.node = &node
	case client.IgnoreNotFound(err) != nil:
		return nil, fmt.Errorf("get node: %w", err)
	}
	var object v1alpha1.NodeStorage
	switch err := n.Get(ctx, types.NamespacedName{Name: name}, &object); {
	case err == nil:
		s.object = &object
	case client.IgnoreNotFound(err) != nil:
		return nil, fmt.Errorf("get NodeStorage: %w", err)
	}
	var policies v1alpha1.BenchmarkDevicePolicyList
	if err := n.List(ctx, &policies); err != nil {
		return nil, fmt.Errorf("list policies: %w", err)
	}
	s.policies = policies.Items
	var leases coordinationv1.LeaseList
	if err := n.List(ctx, &leases, client.InNamespace(n.Config.RunnerNamespace)); err != nil {
		return nil, fmt.Errorf("list leases: %w", err)
	}
	for _, lease := range leases.Items {
		s.benchmarkRuns = s.benchmarkRuns || s.node != nil && lease.Name == string(s.node.UID)
	}
	return s, n.loadDiscovery(ctx, name, s)
}

// loadDiscovery loads what there is of a discovery on the node, which may have another UID now.
func (n *nodeStorages) loadDiscovery(ctx context.Context, name string, s *storageState) error {
	of := []client.ListOption{client.InNamespace(n.Config.RunnerNamespace),
		client.MatchingLabels(jobspec.DiscoveryLabels(name))}
	var requests corev1.ConfigMapList
	if err := n.List(ctx, &requests, of...); err != nil {
		return fmt.Errorf("list requests of discoveries: %w", err)
	}
	for i := range requests.Items {
		s.request = &requests.Items[i]
	}
	var jobs batchv1.JobList
	if err := n.List(ctx, &jobs, of...); err != nil {
		return fmt.Errorf("list jobs: %w", err)
	}
	for i := range jobs.Items {
		s.job = &jobs.Items[i]
	}
	var pods corev1.PodList
	if err := n.List(ctx, &pods, of...); err != nil {
		return fmt.Errorf("list pods: %w", err)
	}
	for i := range pods.Items {
		s.pods = append(s.pods, &pods.Items[i])
	}
	return nil
}

// act does one thing. Every action can be repeated.
func (n *nodeStorages) act(ctx context.Context, s *storageState, d storageDecision) error {
	switch d.step {
	case storageDelete:
		if err := n.removeDiscovery(ctx, s); err != nil || s.object == nil {
			return err
		}
		return n.remove(ctx, s.object, metav1.DeletePropagationBackground)
	case storageCreate:
		return n.createStorage(ctx, s.node)
	case storageStart:
		return n.startDiscovery(ctx, s)
	case storageStop:
		return n.removeDiscovery(ctx, s)
	}
	return nil
}

func (n *nodeStorages) createStorage(ctx context.Context, node *corev1.Node) error {
	object := &v1alpha1.NodeStorage{ObjectMeta: metav1.ObjectMeta{
		Name:   node.Name,
		Labels: map[string]string{jobspec.LabelManagedBy: jobspec.ManagedBy},
		OwnerReferences: []metav1.OwnerReference{{
			APIVersion: corev1.SchemeGroupVersion.String(), Kind: "Node", Name: node.Name, UID: node.UID,
		}},
	}}
	err := n.Create(ctx, object)
	if client.IgnoreAlreadyExists(err) != nil {
		return fmt.Errorf("create NodeStorage %s: %w", node.Name, err)
	}
	return nil
}
