// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/api/v1alpha1"
)

// retire does what is left to do for a finished benchmark: it deletes Jobs and raw results as cleanupPolicy says, and
// the benchmark itself after its time to live.
func (r *Reconciler) retire(ctx context.Context, s *scope) (bool, error) {
	if !isTrue(s.status(), v1alpha1.ConditionFinished) {
		return false, nil
	}
	r.cache.forget(s.benchmark.UID)
	if left, ok := timeToLive(s.benchmark, s.now); ok && left <= 0 {
		uid, version := s.benchmark.UID, s.benchmark.ResourceVersion
		err := r.Delete(ctx, s.benchmark.DeepCopy(), client.Preconditions{UID: &uid, ResourceVersion: &version})
		if client.IgnoreNotFound(err) != nil {
			return true, fmt.Errorf("delete after the time to live: %w", err)
		}
		return true, nil
	} else if ok {
		s.requeueWithin(left)
	}
	return true, r.removeEvidence(ctx, s)
}

// timeToLive is how long a finished benchmark still exists; ok is false if it is not deleted.
func timeToLive(benchmark *v1alpha1.ZfsBenchmark, now time.Time) (left time.Duration, ok bool) {
	ttl, end := benchmark.Spec.TTLSecondsAfterFinished, benchmark.Status.CompletionTime
	if ttl == nil || end == nil {
		return 0, false
	}
	return end.Add(time.Duration(*ttl) * time.Second).Sub(now), true
}

// removeEvidence deletes the plans of released nodes, and with them Jobs and raw results. Other nodes still need theirs
// for the cleanup.
func (r *Reconciler) removeEvidence(ctx context.Context, s *scope) error {
	if !dropsEvidence(s.benchmark) {
		return nil
	}
	var errs []error
	for _, n := range s.runs {
		if n.planMap != nil && n.planMap.DeletionTimestamp == nil && !n.ours {
			errs = append(errs, r.remove(ctx, n.planMap, metav1.DeletePropagationBackground))
		}
	}
	return errors.Join(errs...)
}

// dropsEvidence says whether the cleanup policy deletes the evidence of this finished benchmark.
func dropsEvidence(benchmark *v1alpha1.ZfsBenchmark) bool {
	switch benchmark.Spec.CleanupPolicy {
	case v1alpha1.CleanupNever:
		return false
	case v1alpha1.CleanupAlways:
		return true
	}
	return !isTrue(&benchmark.Status, v1alpha1.ConditionFailed)
}
