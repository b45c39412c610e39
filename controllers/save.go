// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// save writes status, if it changed, and only then tells of the change in events and metrics. A conflict is not an error: the newer benchmark starts
// the next reconcile, which comes to the same conclusions.
func (r *Reconciler) save(ctx context.Context, s *scope) error {
	if s.unsaved {
		return nil
	}
	if !s.gone {
		s.status().ObservedGeneration = s.benchmark.Generation
		s.status().Phase = phaseOf(s.status())
		if written, err := r.patchStatus(ctx, s); err != nil || !written {
			return err
		}
	}
	events := statusEvents(&s.before.Status, s.status())
	for _, e := range s.extra {
		events = append(events, e.notice)
	}
	for _, e := range events {
		r.Recorder.Eventf(s.benchmark, nil, e.kind, e.reason, e.action, "%s", clip(sentence(e.note), maxNote))
	}
	r.Metrics.observe(&s.before.Status, s.status())
	return nil
}

// patchStatus says whether status is now in the API what it is in the scope. Side effect: the scope's benchmark becomes the API's answer.
func (r *Reconciler) patchStatus(ctx context.Context, s *scope) (bool, error) {
	if equality.Semantic.DeepEqual(s.before.Status, s.benchmark.Status) {
		return true, nil
	}
	patch := client.MergeFromWithOptions(s.before, client.MergeFromWithOptimisticLock{})
	err := r.Status().Patch(ctx, s.benchmark, patch)
	if apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("patch status: %w", err)
	}
	return true, nil
}
