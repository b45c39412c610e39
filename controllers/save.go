// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// save sends the events about actions, writes status if it changed, and only then reports the change in events and
// metrics. A conflict is not an error: the newer benchmark starts the next reconcile, which comes to the same
// conclusions. That reconcile does not repeat actions, so the events about actions do not wait for status.
func (r *Reconciler) save(ctx context.Context, s *scope) error {
	for _, e := range s.extra {
		r.recordEvent(s, e.notice)
	}
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
	for _, e := range statusEvents(&s.before.Status, s.status()) {
		r.recordEvent(s, e)
	}
	r.Metrics.observe(&s.before.Status, s.status())
	return nil
}

// recordEvent writes an event about the benchmark.
func (r *Reconciler) recordEvent(s *scope, e notice) {
	r.Recorder.Eventf(s.benchmark, nil, e.kind, e.reason, e.action, "%s", clip(sentence(e.note), maxNote))
}

// patchStatus writes status if it changed, and says whether the API has it now. Side effect: the scope's benchmark
// becomes the API's answer.
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
