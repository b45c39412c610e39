// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/kube/jobspec"
)

// start makes the plan, if there is none yet, everything that a runner needs, and, when all of that exists, the Job.
func (r *Reconciler) start(ctx context.Context, s *scope, n *nodeRun) error {
	if err := r.requireFresh(ctx, s); err != nil {
		return err
	}
	if n.cleanup != nil {
		return r.remove(ctx, n.cleanup, metav1.DeletePropagationForeground)
	}
	if waiting, err := r.endDiscovery(ctx, s, n.name); err != nil || waiting {
		return err
	}
	if inUse, err := r.takeDisks(ctx, s, n); err != nil {
		return err
	} else if inUse != "" {
		return r.yieldTo(ctx, s, n, inUse)
	}
	if n.run == nil {
		if err := r.makePlan(ctx, s, n); err != nil {
			return n.unplannable(s, err)
		}
	}
	if err := r.applyRunnerObjects(ctx, s, n, ""); err != nil {
		return err
	}
	_, err := r.apply(ctx, n.run.RunJob(r.Config.Runner))
	return err
}

// yieldTo releases the node because a disk is in use elsewhere, so that another benchmark can use it. A run that has
// begun keeps its locks, and tries again.
func (r *Reconciler) yieldTo(ctx context.Context, s *scope, n *nodeRun, inUse string) error {
	if n.run != nil {
		return errors.New(inUse)
	}
	n.queueForDisk(s, inUse)
	return r.removeLeases(ctx, s, n)
}

// startCleanup makes the cleanup Job and the objects that it needs, in case somebody has deleted them.
func (r *Reconciler) startCleanup(ctx context.Context, s *scope, n *nodeRun) error {
	if err := r.requireFresh(ctx, s); err != nil {
		return err
	}
	if err := r.applyRunnerObjects(ctx, s, n, n.suspendRequest()); err != nil {
		return err
	}
	_, err := r.apply(ctx, n.run.CleanupJob(r.Config.Runner))
	return err
}

// applyRunnerObjects makes what both Jobs need in addition to the plan. The progress of an orphan is not changed: its
// list of disks to give up comes from an administrator, or from the benchmark while that existed.
func (r *Reconciler) applyRunnerObjects(ctx context.Context, s *scope, n *nodeRun, suspend string) error {
	run := n.run
	objects := []client.Object{run.ServiceAccount(), run.Role(), run.RoleBinding()}
	if !s.orphan || n.progressMap == nil {
		objects = append(objects, progressFor(s.benchmark, run, suspend))
	}
	for _, cm := range run.ResultsConfigMaps() {
		objects = append(objects, cm)
	}
	for _, object := range objects {
		if _, err := r.apply(ctx, object); err != nil {
			return err
		}
	}
	return nil
}

// makePlan plans once for a benchmark and a node. If the plan exists and only the cache does not show it yet, the
// existing one stays: it was made from the policies of its time, and another plan would be another experiment.
func (r *Reconciler) makePlan(ctx context.Context, s *scope, n *nodeRun) error {
	var existing corev1.ConfigMapList
	own := append(r.ownedBy(s.benchmark), client.MatchingLabels(jobspec.Labels(s.uid(), n.name)))
	if err := r.APIReader.List(ctx, &existing, own...); err != nil {
		return fmt.Errorf("look for a plan: %w", err)
	}
	for i := range existing.Items {
		if jobspec.IsBaseName(existing.Items[i].Name) {
			return errStale
		}
	}
	run, err := r.planRun(s, n)
	if err != nil {
		return &planError{err: err}
	}
	made, err := r.apply(ctx, run.PlanConfigMap())
	if err != nil {
		return err
	}
	run.PlanUID = made.GetUID()
	n.run = run
	return nil
}

// planError is the error of a benchmark for which no plan can be made, now or later.
type planError struct{ err error }

func (e *planError) Error() string { return e.err.Error() }

func (e *planError) Unwrap() error { return e.err }

// unplannable fails the node if no plan can be made. It returns any other error, to be retried.
func (n *nodeRun) unplannable(s *scope, err error) error {
	var final *planError
	if !errors.As(err, &final) {
		return err
	}
	status := s.nodeStatus(n.name)
	status.State, status.Reason, status.Message = nodeFailed, v1alpha1.ReasonInvalidSpec,
		sentence(fmt.Sprintf("No plan can be made: %v.", final))
	return nil
}

// requireFresh returns errStale if the API has a newer benchmark than this reconcile: nothing must be created from an
// old one.
func (r *Reconciler) requireFresh(ctx context.Context, s *scope) error {
	if s.orphan {
		return nil // one that is gone does not come back: UIDs are not used twice
	}
	var newest v1alpha1.ZfsBenchmark
	if err := r.APIReader.Get(ctx, client.ObjectKeyFromObject(s.benchmark), &newest); err != nil {
		return fmt.Errorf("get benchmark: %w", err)
	}
	if newest.ResourceVersion != s.benchmark.ResourceVersion {
		return errStale
	}
	return nil
}
