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

// start makes the plan, if there is none yet, everything a runner needs, and the Job; the last one only when all others
// exist.
func (r *Reconciler) start(ctx context.Context, s *scope, n *nodeRun) error {
	if err := r.requireFresh(ctx, s); err != nil {
		return err
	}
	if n.cleanup != nil {
		return r.remove(ctx, n.cleanup, metav1.DeletePropagationForeground)
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

// yieldTo gives the node back to whoever can use it, since a disk is in use elsewhere: another run was faster. A run
// that has begun holds what it has, and tries again.
func (r *Reconciler) yieldTo(ctx context.Context, s *scope, n *nodeRun, inUse string) error {
	if n.run != nil {
		return errors.New(inUse)
	}
	n.queueForDisk(s, inUse)
	return r.removeLeases(ctx, s, n)
}

// startCleanup makes the cleanup Job and, should somebody have deleted them, what it needs.
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

// applyRunnerObjects makes what both Jobs need beside the plan. The progress of an orphan stays as it is: what it says
// of disks that are given up is an administrator's, or was copied from the benchmark while that existed.
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

// makePlan plans once for a benchmark and a node. Should the cache merely not show it yet, the plan that exists is left
// alone: it was made from the policies of its time, and running by another one would be another experiment.
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

// planError says that no plan can be made of a benchmark, now or later.
type planError struct{ err error }

func (e *planError) Error() string { return e.err.Error() }

func (e *planError) Unwrap() error { return e.err }

// unplannable fails the node when no plan can be made; any other error it returns, to be tried again.
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

// requireFresh returns errStale when the API has a newer benchmark than this reconcile works with: what is created must
// not rest on an old one.
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
