// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// drive decides what to do on each node, and does it. A failure on one node does not stop the others.
func (r *Reconciler) drive(ctx context.Context, s *scope) (bool, error) {
	var errs []error
	req := request{suspend: s.benchmark.Spec.Suspend, now: s.now}
	for _, n := range s.runs {
		status := s.nodeStatus(n.name)
		if status == nil {
			continue
		}
		if terminal(status.State) {
			n.decision, n.cleanupStep = decideAfterOutcome(n, *status, s.now)
		} else {
			n.decision = decide(n, req)
			n.record(status)
		}
		status.State, status.Reason, status.Message = n.decision.state, n.decision.reason, n.decision.message
		s.requeueWithin(n.decision.requeueAfter)
		errs = append(errs, n.recordError(s, r.act(ctx, s, n, n.decision.do)))
	}
	errs = append(errs, r.queue(ctx, s))
	if err := errors.Join(errs...); err != nil {
		s.setRunning(s.runningNow())
		return true, err
	}
	return false, nil
}

// recordError writes to the node's status why an action failed, and returns the error, so that the reconcile is
// retried. It does not overwrite the outcome of a node that has one.
func (n *nodeRun) recordError(s *scope, err error) error {
	if err = s.unlessStale(err); err == nil {
		return nil
	}
	status := s.nodeStatus(n.name)
	text := sentence(fmt.Sprintf("Failed to %s, trying again: %v.", n.decision.do, err))
	if terminal(status.State) {
		n.cleanupStep.note = text
	} else {
		status.Message = text
	}
	return fmt.Errorf("%s on %s: %w", n.decision.do, n.name, err)
}

// act does one thing on a node. Every action can be repeated.
func (r *Reconciler) act(ctx context.Context, s *scope, n *nodeRun, do action) error {
	switch do {
	case doStart:
		return r.start(ctx, s, n)
	case doAskSuspend:
		_, err := r.apply(ctx, progressFor(s.benchmark, n.run, strconv.FormatBool(s.benchmark.Spec.Suspend)))
		return err
	case doDeleteJob:
		return r.remove(ctx, n.job, metav1.DeletePropagationForeground)
	case doCleanup:
		return r.startCleanup(ctx, s, n)
	case doDeleteCleanup:
		return r.remove(ctx, n.cleanup, metav1.DeletePropagationForeground)
	case doRelease:
		return r.release(ctx, s, n)
	case doAbandon:
		return r.abandon(ctx, s, n)
	}
	return nil
}
