// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/internal/kube/jobspec"
)

// release gives up the node and its disks after a check against the API. It returns errStale if a Job of the benchmark
// has not ended there, or if the node is not clean after all.
func (r *Reconciler) release(ctx context.Context, s *scope, n *nodeRun) error {
	of := []client.ListOption{client.InNamespace(r.Config.RunnerNamespace),
		client.MatchingLabels(jobspec.Labels(s.uid(), n.name))}
	var jobs batchv1.JobList
	if err := r.APIReader.List(ctx, &jobs, of...); err != nil {
		return fmt.Errorf("list jobs: %w", err)
	}
	for i := range jobs.Items {
		if !ended(&jobs.Items[i]) {
			return errStale
		}
	}
	var documents corev1.ConfigMapList
	if err := r.APIReader.List(ctx, &documents, of...); err != nil {
		return fmt.Errorf("list documents: %w", err)
	}
	for _, now := range groupRuns(s, documents.Items, nil, nil) {
		if now.name == n.name && !now.ownsNothing() {
			return errStale
		}
	}
	s.addEvents(n.name, n.goneDevices()...)
	if n.started() {
		if err := r.recordServed(ctx, s, n); err != nil {
			return err
		}
	}
	return r.removeLeases(ctx, s, n)
}
