// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/kube/jobspec"
)

// teardownPollInterval is how often a deletion checks again, in addition to its watches.
const teardownPollInterval = 30 * time.Second

// teardown holds a benchmark that is being deleted until nothing of it is left. It cleans up every node, deletes what
// is in the runner namespace, and only then removes the finalizer. It needs nothing from the benchmark's own namespace,
// which may be terminating as well.
func (r *Reconciler) teardown(ctx context.Context, s *scope) (bool, error) {
	if s.benchmark.DeletionTimestamp.IsZero() {
		return false, nil
	}
	if !controllerutil.ContainsFinalizer(s.benchmark, v1alpha1.Finalizer) {
		s.gone = true
		return true, nil
	}
	s.requeueWithin(teardownPollInterval)
	waits, err := r.cleanUpAll(ctx, s)
	if err == nil && len(waits) == 0 {
		return true, r.removeFinalizer(ctx, s)
	}
	if err != nil {
		waits = append(waits, fmt.Sprintf("It failed and will be tried again: %v.", err))
	}
	s.setRunning(false, v1alpha1.ReasonDeleting, sentence(strings.Join(waits, " ")))
	return true, err
}

// cleanUpAll cleans up every node, then deletes what is left in the API. It returns what it waits for, or nothing if
// nothing is left. Plans and progress are deleted last: they say which volumes must stay.
func (r *Reconciler) cleanUpAll(ctx context.Context, s *scope) (waits []string, err error) {
	waits, err = r.cleanUpNodes(ctx, s)
	if err == nil && len(waits) == 0 {
		waits, err = r.removeClaims(ctx, s, ofBenchmark(s.uid()))
	}
	if err == nil && len(waits) == 0 {
		waits, err = r.removeAll(ctx, s)
	}
	return waits, err
}

// cleanUpNodes cleans up every node and returns what it waits for.
func (r *Reconciler) cleanUpNodes(ctx context.Context, s *scope) (waits []string, err error) {
	var errs []error
	for _, n := range s.runs {
		n.cleanupStep = decideCleanup(n, s.now, true)
		s.requeueWithin(n.cleanupStep.requeueAfter)
		errs = append(errs, s.unlessStale(r.act(ctx, s, n, n.cleanupStep.do)))
		if !n.cleanupStep.done {
			waits = append(waits, deletionWaits(n, s))
		}
	}
	return waits, errors.Join(errs...)
}

// deletionWaits says what a deletion waits for on a node, and how to end the wait if it may last for ever.
func deletionWaits(n *nodeRun, s *scope) string {
	text := n.cleanupStep.note + n.cleanupStep.failure
	if s.orphan || n.abandoned || n.lost() || n.ready() && n.cleanupStep.failure == "" && n.cleanupStep.requeueAfter == 0 {
		return text
	}
	if !n.ready() {
		text += fmt.Sprintf(" Node %s is not Ready; deletion continues when it is.", n.name)
	}
	return text + fmt.Sprintf(" If it never will, an administrator gives up what is left there: `kubectl -n %s annotate "+
		"zfsbenchmark %s %s=%s`.",
		s.benchmark.Namespace, s.benchmark.Name, v1alpha1.AnnotationAbandonNode, n.name)
}

// removeAll deletes what is left in the runner namespace according to the API, and says what is still there. Plans are
// deleted first, in the foreground: they are gone only when everything that they own is gone. For abandoned nodes,
// removeAll does not wait for pods that never end.
func (r *Reconciler) removeAll(ctx context.Context, s *scope) (waits []string, err error) {
	plans, others, err := r.leftObjects(ctx, s)
	if err != nil {
		return nil, err
	}
	abandoned := slices.ContainsFunc(s.runs, func(n *nodeRun) bool { return n.lost() || n.abandoned })
	how := metav1.DeletePropagationForeground
	if abandoned {
		how = metav1.DeletePropagationBackground
	}
	going := plans
	if len(plans) == 0 {
		going = others
	}
	var errs []error
	for _, object := range going {
		errs = append(errs, r.remove(ctx, object, how))
	}
	left := slices.DeleteFunc(slices.Concat(plans, others), func(object client.Object) bool {
		return abandoned && object.GetDeletionTimestamp() != nil
	})
	if len(left) > 0 {
		waits = append(waits, fmt.Sprintf("Removing %d objects from namespace %s.", len(left), r.Config.RunnerNamespace))
	}
	return waits, errors.Join(errs...)
}

// leftObjects lists what the benchmark still has in the runner namespace, past the cache: its plans, and everything
// else.
func (r *Reconciler) leftObjects(ctx context.Context, s *scope) (plans, others []client.Object, err error) {
	var documents corev1.ConfigMapList
	var jobs batchv1.JobList
	var leases coordinationv1.LeaseList
	for _, list := range []client.ObjectList{&documents, &jobs, &leases} {
		if err := r.APIReader.List(ctx, list, r.ownedBy(s.benchmark)...); err != nil {
			return nil, nil, fmt.Errorf("list what is left: %w", err)
		}
	}
	for i := range documents.Items {
		if jobspec.IsBaseName(documents.Items[i].Name) {
			plans = append(plans, &documents.Items[i])
		} else {
			others = append(others, &documents.Items[i])
		}
	}
	for i := range jobs.Items {
		others = append(others, &jobs.Items[i])
	}
	for i := range leases.Items {
		others = append(others, &leases.Items[i])
	}
	return plans, others, nil
}

// removeFinalizer removes the finalizer; the API then removes the benchmark.
func (r *Reconciler) removeFinalizer(ctx context.Context, s *scope) error {
	freed := s.benchmark.DeepCopy()
	controllerutil.RemoveFinalizer(freed, v1alpha1.Finalizer)
	patch := client.MergeFromWithOptions(s.benchmark, client.MergeFromWithOptimisticLock{})
	if err := r.Patch(ctx, freed, patch); err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("remove finalizer: %w", err)
	}
	r.cache.forget(s.benchmark.UID)
	s.gone, s.requeueAfter = true, 0
	return nil
}
