// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"zfsbench.io/operator/internal/kube/jobspec"
)

// imageStep is what this reconcile does with the pod that holds a run's images.
type imageStep string

const (
	keepImages   imageStep = ""
	makeImages   imageStep = "make the pod that holds the images"
	removeImages imageStep = "remove the pod that holds the images"
)

// serveImages keeps a pod with the images of a run on its node, as long as the runner runs. A failure is retried; only
// the runner waits for it.
func (r *Reconciler) serveImages(ctx context.Context, s *scope) (bool, error) {
	for _, n := range s.runs {
		step := n.decideImages()
		if step == makeImages && !s.benchmark.DeletionTimestamp.IsZero() {
			continue // its runner is about to be stopped
		}
		if err := r.applyImageStep(ctx, n, step); err != nil {
			n.imageError = err.Error()
			log.FromContext(ctx).Error(err, string(step), "node", n.name)
			s.requeueWithin(claimRetry)
		}
	}
	return false, nil
}

// needsImages says whether a runner that may use images is running.
func (n *nodeRun) needsImages() bool {
	return n.run != nil && len(n.run.Plan.Images()) > 0 && n.jobRuns() && !n.lost() && !n.abandoned
}

// decideImages replaces an evicted pod, and removes a pod that is not needed any more. It is a pure function.
func (n *nodeRun) decideImages() imageStep {
	pod := n.imagePod
	switch {
	case pod == nil && n.needsImages():
		return makeImages
	case pod == nil || pod.DeletionTimestamp != nil:
		return keepImages // a terminating pod is replaced when it is gone
	case podEnded(pod) || !n.needsImages():
		return removeImages
	}
	return keepImages
}

func (r *Reconciler) applyImageStep(ctx context.Context, n *nodeRun, step imageStep) error {
	switch step {
	case makeImages:
		pod := n.run.ImagePod(r.Config.Runner)
		if err := r.Create(ctx, pod, client.FieldOwner(jobspec.FieldOwner)); err != nil && !apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("create pod %s: %w", pod.Name, err)
		}
	case removeImages:
		if needed, err := r.needsImagesNow(ctx, n); err != nil || needed {
			return err
		}
		return r.remove(ctx, n.imagePod, metav1.DeletePropagationBackground)
	}
	return nil
}

// needsImagesNow asks the API, because the cache may show a pod before the Job that needs it.
func (r *Reconciler) needsImagesNow(ctx context.Context, n *nodeRun) (bool, error) {
	if n.run == nil || n.job != nil {
		return false, nil
	}
	job := &batchv1.Job{}
	found, err := r.find(ctx, client.ObjectKey{Namespace: n.run.Namespace, Name: jobspec.RunJobName(n.run.Base())}, job)
	if err != nil {
		return false, fmt.Errorf("look for the Job: %w", err)
	}
	return found && job.DeletionTimestamp == nil && !ended(job), nil
}

// runProblem looks for what keeps the run Job's pod from working: a problem of that pod, or of the pod with its images.
// Once the runner has reported, a missing image is no longer fatal here: the runner decides.
func (n *nodeRun) runProblem(now time.Time) problem {
	p := n.podProblem(n.job, now)
	if p.message != "" || !n.needsImages() {
		return p
	}
	images := n.imageProblem(now)
	if images.fatal = images.fatal && n.reported() == ""; images.message == "" && images.requeueAfter == 0 {
		return p
	}
	return images
}

func (n *nodeRun) imageProblem(now time.Time) problem {
	pod := n.imagePod
	switch {
	case pod != nil && pod.DeletionTimestamp == nil && !podEnded(pod):
		p, _ := n.startProblem(n.job, pod, notReadySince(pod), now)
		return p
	case n.imageError == "":
		return problem{}
	}
	return problem{message: fmt.Sprintf("the runner waits for the pod with its images: %s.", trimStop(n.imageError))}
}

// waitsForImages says that a Job has started, has not reported yet, and not all of its images are on the node.
func (n *nodeRun) waitsForImages() bool {
	return n.needsImages() && n.reported() == "" && (n.imagePod == nil || !isReady(n.imagePod))
}

// notReadySince is when a pod became not ready, or was made.
func notReadySince(pod *corev1.Pod) time.Time {
	since := pod.CreationTimestamp.Time
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodReady && c.LastTransitionTime.After(since) {
			since = c.LastTransitionTime.Time
		}
	}
	return since
}

// isReady says that all containers of a pod run.
func isReady(pod *corev1.Pod) bool {
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}
