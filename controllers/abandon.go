// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"errors"
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/kube/jobspec"
)

// abandon gives up a node whose pods have ended or never will, and reports what may be left there.
func (r *Reconciler) abandon(ctx context.Context, s *scope, n *nodeRun) error {
	if err := r.requireAbandoned(ctx, s, n); err != nil {
		return err
	}
	var errs []error
	if n.job != nil {
		errs = append(errs, r.remove(ctx, n.job, metav1.DeletePropagationBackground))
	}
	if n.cleanup != nil {
		errs = append(errs, r.remove(ctx, n.cleanup, metav1.DeletePropagationBackground))
	}
	_, err := r.removeClaims(ctx, s, client.MatchingLabels(jobspec.Labels(s.uid(), n.name)))
	errs = append(errs, err)
	// The Lease goes last: while it exists, abandon is retried.
	if n.ours && err == nil {
		errs = append(errs, r.removeLeases(ctx, s, n))
	}
	s.addEvents(n.name, notice{
		kind: corev1.EventTypeWarning, reason: v1alpha1.ReasonNodeAbandoned, action: "Abandon",
		note: fmt.Sprintf("%s was given up%s", n.name, n.leftovers()),
	})
	return errors.Join(errs...)
}

// requireAbandoned checks, past the cache, that the node may be given up, by the benchmark's annotation, the Node
// object, Jobs and pods. It returns errStale if not.
func (r *Reconciler) requireAbandoned(ctx context.Context, s *scope, n *nodeRun) error {
	if err := r.requireFresh(ctx, s); err != nil {
		return err
	}
	var named *corev1.Node
	node := &corev1.Node{}
	found, err := r.find(ctx, client.ObjectKey{Name: n.name}, node)
	if err != nil {
		return fmt.Errorf("get node: %w", err)
	}
	if found {
		named = node
	}
	own := append(r.ownedBy(s.benchmark), client.MatchingLabels(jobspec.Labels(s.uid(), n.name)))
	var jobs batchv1.JobList
	var pods corev1.PodList
	for _, list := range []client.ObjectList{&jobs, &pods} {
		if err := r.APIReader.List(ctx, list, own...); err != nil {
			return fmt.Errorf("list Jobs and pods: %w", err)
		}
	}
	now := nodeRun{name: n.name, uid: n.uid, ours: n.ours, abandoned: n.abandoned}
	now.findNode(named)
	now.addRunning(jobs.Items, pods.Items)
	if step := now.decideAbandon(); !now.lost() && !now.abandoned || step.do != doAbandon && !step.done {
		return errStale
	}
	return nil
}
