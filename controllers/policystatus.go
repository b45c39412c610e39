// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"zfsbench.io/operator/api/v1alpha1"
)

// policyStatuses says in the status of policies whether their devices are what the nodes have. No decision about a
// benchmark reads that.
type policyStatuses struct{ *Reconciler }

// setupPolicyStatus adds the controller of the policies' status to a manager.
func (r *Reconciler) setupPolicyStatus(mgr ctrl.Manager) error {
	p := &policyStatuses{r}
	byNode := handler.EnqueueRequestsFromMapFunc(p.ofNode)
	err := ctrl.NewControllerManagedBy(mgr).
		Named("policystatus").
		WithOptions(retries()).
		For(&v1alpha1.BenchmarkDevicePolicy{}).
		Watches(&v1alpha1.NodeStorage{}, byNode).
		Watches(&corev1.Node{}, byNode, builder.WithPredicates(nodeChanges())).
		Complete(p)
	if err != nil {
		return fmt.Errorf("set up the controller of the policies' status: %w", err)
	}
	return nil
}

// ofNode are the policies for the node that a Node or NodeStorage is named after.
func (p *policyStatuses) ofNode(ctx context.Context, object client.Object) []reconcile.Request {
	var policies v1alpha1.BenchmarkDevicePolicyList
	if err := p.List(ctx, &policies); err != nil {
		log.FromContext(ctx).Error(err, "list policies for an event")
		return nil
	}
	var requests []reconcile.Request
	for _, each := range policies.Items {
		if each.Spec.Node.Name == object.GetName() {
			requests = append(requests, reconcile.Request{NamespacedName: types.NamespacedName{Name: each.Name}})
		}
	}
	return requests
}

// Reconcile writes the status of one policy.
func (p *policyStatuses) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var policy v1alpha1.BenchmarkDevicePolicy
	if err := p.Get(ctx, req.NamespacedName, &policy); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	name := types.NamespacedName{Name: policy.Spec.Node.Name}
	var node *corev1.Node
	var storage *v1alpha1.NodeStorage
	var foundNode corev1.Node
	if err := p.Get(ctx, name, &foundNode); err == nil {
		node = &foundNode
	} else if client.IgnoreNotFound(err) != nil {
		return ctrl.Result{}, fmt.Errorf("get node: %w", err)
	}
	var foundStorage v1alpha1.NodeStorage
	if err := p.Get(ctx, name, &foundStorage); err == nil {
		storage = &foundStorage
	} else if client.IgnoreNotFound(err) != nil {
		return ctrl.Result{}, fmt.Errorf("get NodeStorage: %w", err)
	}
	before := policy.DeepCopy()
	policy.Status = policyStatus(policy, node, storage, p.Clock.Now())
	if equality.Semantic.DeepEqual(before.Status, policy.Status) {
		return ctrl.Result{}, nil
	}
	err := p.Status().Patch(ctx, &policy, client.MergeFrom(before))
	if client.IgnoreNotFound(err) != nil {
		return ctrl.Result{}, fmt.Errorf("write the status of policy %s: %w", policy.Name, err)
	}
	return ctrl.Result{}, nil
}
