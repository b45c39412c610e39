// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"zfsbench.io/operator/internal/kube/jobspec"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
)

const (
	// claimPollInterval is how often the manager checks a volume that a runner waits for. While a runner measures, the
	// manager does not poll: it watches the pod that has the volume mounted.
	claimPollInterval = time.Second
	// claimRetry is the time until the next attempt after the API refused something.
	claimRetry = 5 * time.Second
)

// serveClaims answers the runners' requests for volumes, also while the benchmark is being deleted, because its cleanup
// has requests too. A failure is reported to the runner, which has a deadline, and stops nothing else.
func (r *Reconciler) serveClaims(ctx context.Context, s *scope) (bool, error) {
	for _, n := range s.runs {
		serve := r.serveClaim
		switch {
		case n.lostHolder():
			serve = r.checkHolder
		case !n.awaitsClaim() || n.claimRequest.Want == result.ClaimPresent && (s.orphan || r.isRevoked(s, n)):
			continue
		}
		if err := serve(ctx, s, n); err != nil {
			log.FromContext(ctx).Error(err, "serve a claim", "node", n.name)
			s.requeueWithin(claimRetry)
		}
	}
	return false, nil
}

// awaitsClaim says whether a request still waits for an answer. A request for a volume waits only while its run Job
// runs. A request to remove or keep a volume waits without it, because a cleanup Job makes such requests too. On a node
// that was given up, volumes are removed at once, without the driver.
func (n *nodeRun) awaitsClaim() bool {
	switch {
	case n.run == nil || n.claimRequest == nil || n.lost() || n.abandoned && n.outOfService():
		return false
	case n.isAnswered() && (n.claimAnswer.Ready || n.claimAnswer.Refused):
		return false
	case n.claimRequest.Want == result.ClaimAbsent || n.claimRequest.Want == result.ClaimKept:
		return true
	}
	return n.jobRuns()
}

func (n *nodeRun) jobRuns() bool {
	return n.job != nil && n.job.DeletionTimestamp == nil && !ended(n.job)
}

// isAnswered says that the last answer is about the current request.
func (n *nodeRun) isAnswered() bool {
	return n.claimRequest != nil && n.claimAnswer != nil && n.claimAnswer.Request == *n.claimRequest
}

// lostHolder says that a runner measures on the mount of a pod that, according to the cache, no longer runs. The cache
// may be stale, so checkHolder asks the API.
func (n *nodeRun) lostHolder() bool {
	if n.run == nil || n.lost() || n.abandoned || !n.isAnswered() || !n.claimAnswer.Ready || n.claimAnswer.PodUID == "" ||
		!n.jobRuns() {
		return false
	}
	return !slices.ContainsFunc(n.holders, func(pod *corev1.Pod) bool {
		return string(pod.UID) == n.claimAnswer.PodUID && pod.DeletionTimestamp == nil && !podEnded(pod)
	})
}

// checkHolder asks the API for the pod that a runner measures on, and tells the runner if it is gone.
func (r *Reconciler) checkHolder(ctx context.Context, _ *scope, n *nodeRun) error {
	claim, err := r.claimOf(n)
	if err != nil {
		return err
	}
	var v claimView
	if v.pod, err = findOwn(ctx, r, claim, claim.Namespace, &corev1.Pod{}); err != nil {
		return err
	}
	step, answer := decideHeld(v, n.claimAnswer.PodUID), *n.claimAnswer
	if step.ready {
		return nil // the cache is behind
	}
	answer.Ready, answer.Refused, answer.Message = false, true, sentence(step.message)
	return r.putClaimAnswer(ctx, n, answer)
}

// isRevoked says whether the benchmark may no longer run on a node. Its runner is about to be stopped, and gets no new
// volume.
func (r *Reconciler) isRevoked(s *scope, n *nodeRun) bool {
	refused := r.refuse(s, n.name, n)
	return refused != nil && refused.revoked
}

// serveClaim observes, decides and acts once. It records what it knows before it acts: the name of a volume is needed
// even after its claim is gone.
func (r *Reconciler) serveClaim(ctx context.Context, s *scope, n *nodeRun) error {
	answer := result.ClaimAnswer{Version: result.Version, Request: *n.claimRequest}
	claim, err := r.claimOf(n)
	if err != nil {
		answer.Message = sentence(err.Error() + ".")
		return r.putClaimAnswer(ctx, n, answer)
	}
	view, err := r.observeClaim(ctx, claim, n)
	if err != nil {
		answer.Message = sentence(fmt.Sprintf("Failed to look at the volume, trying again: %v.", err))
		return errors.Join(err, r.putClaimAnswer(ctx, n, answer))
	}
	view.room = r.roomOf(s, n, claim)
	step := decideClaim(claim, view, n.claimRequest.Want, r.Config.Runner)
	answer.Refused = step.refused
	answer.Ready, answer.Message, answer.Facts, answer.PodUID = step.ready, sentence(step.message), view.facts, step.podUID
	if step.keep != nil {
		return r.serveKept(ctx, s, n, step, answer)
	}
	if err := r.putClaimAnswer(ctx, n, answer); err != nil {
		return err
	}
	if !step.ready && !step.refused {
		s.requeueWithin(claimPollInterval)
	}
	if err := r.applyClaimStep(ctx, step); err != nil {
		answer.Message = sentence(fmt.Sprintf("%v.", err))
		return errors.Join(err, r.putClaimAnswer(ctx, n, answer))
	}
	return nil
}

// serveKept keeps a volume, and answers only once, after the attempt: every answer starts another reconcile.
func (r *Reconciler) serveKept(
	ctx context.Context, s *scope, n *nodeRun, step claimStep, answer result.ClaimAnswer,
) error {
	err := r.keepVolume(ctx, s, step.keep, step.why)
	if err != nil {
		answer.Message = sentence(fmt.Sprintf("%v.", err))
	}
	s.requeueWithin(claimPollInterval)
	return errors.Join(err, r.putClaimAnswer(ctx, n, answer))
}

// roomOf is the largest size that the policies now allow for a volume of an existing StorageClass.
func (r *Reconciler) roomOf(s *scope, n *nodeRun, c jobspec.Claim) resource.Quantity {
	if !c.IsForeign() || n.node == nil {
		return resource.Quantity{}
	}
	return plan.RoomInClass(c.ClassName(), r.planInput(s, plan.Node{Name: n.name, UID: string(n.node.UID)}))
}

// claimOf builds the claim from the plan alone. Of the request, it uses only the numbers of the two trials, which must
// belong to one variant with a claim.
func (r *Reconciler) claimOf(n *nodeRun) (jobspec.Claim, error) {
	request, trials := *n.claimRequest, n.run.Plan.Trials
	switch {
	case !r.Config.CSI.Enabled:
		return jobspec.Claim{}, errors.New("claims are switched off (csi.enabled in the manager's configuration)")
	case request.PlanDigest != n.run.Digest:
		return jobspec.Claim{}, fmt.Errorf("the request is about another plan, %s", request.PlanDigest)
	case request.Trial >= len(trials) || request.PoolTrial >= len(trials) ||
		trials[request.Trial].Variant != trials[request.PoolTrial].Variant:
		return jobspec.Claim{}, fmt.Errorf("the request is about trials %d and %d, which are not trials of one variant of "+
			"the plan", request.Trial, request.PoolTrial)
	}
	variant, _ := n.run.Plan.Variant(trials[request.Trial].Variant)
	if !variant.Claims() {
		return jobspec.Claim{}, fmt.Errorf("variant %s is not a persistent volume", variant.Name)
	}
	return r.newClaim(n, variant, request), nil
}

func (r *Reconciler) newClaim(n *nodeRun, v plan.Variant, request result.ClaimRequest) jobspec.Claim {
	claim := jobspec.Claim{Run: *n.run, Namespace: r.Config.CSI.Namespace, Variant: v, Trial: request.Trial,
		PoolTrial: request.PoolTrial}
	if n.node != nil {
		claim.NodeLabels = n.node.Labels
	}
	return claim
}

// putClaimAnswer writes an answer if it differs from the last one.
func (r *Reconciler) putClaimAnswer(ctx context.Context, n *nodeRun, answer result.ClaimAnswer) error {
	if n.claimAnswer != nil && *n.claimAnswer == answer {
		return nil
	}
	document, err := result.EncodeClaimAnswer(answer)
	if err != nil {
		return err
	}
	if _, err = r.apply(ctx, n.run.ClaimConfigMap(document)); err == nil {
		n.claimAnswer = &answer
	}
	return err
}

// applyClaimStep executes a step. It leaves an object that exists already to the next reconcile.
func (r *Reconciler) applyClaimStep(ctx context.Context, step claimStep) error {
	for _, object := range step.create {
		if err := r.Create(ctx, object, client.FieldOwner(jobspec.FieldOwner)); err != nil &&
			!apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("create %s %s: %w", object.GetObjectKind().GroupVersionKind().Kind, object.GetName(), err)
		}
	}
	if step.remove == nil {
		return nil
	}
	return r.removeClaimed(ctx, step.remove)
}

// removeClaimed deletes an object of a claim, and removes the benchmark's own finalizer from it.
func (r *Reconciler) removeClaimed(ctx context.Context, object client.Object) error {
	if object.GetDeletionTimestamp() == nil {
		if err := r.removeUnchanged(ctx, object); err != nil {
			return err
		}
	}
	if len(object.GetFinalizers()) == 0 || !isClass(object) {
		return nil
	}
	err := r.Patch(ctx, object, client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`)),
		client.FieldOwner(jobspec.FieldOwner))
	return client.IgnoreNotFound(err)
}

// removeUnchanged deletes an object; a claim only if it has not changed since, because it may have been bound
// meanwhile.
func (r *Reconciler) removeUnchanged(ctx context.Context, object client.Object) error {
	if _, isClaim := object.(*corev1.PersistentVolumeClaim); !isClaim {
		return r.remove(ctx, object, metav1.DeletePropagationBackground)
	}
	uid, version := object.GetUID(), object.GetResourceVersion()
	err := r.Delete(ctx, object, client.PropagationPolicy(metav1.DeletePropagationBackground),
		client.Preconditions{UID: &uid, ResourceVersion: &version})
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("delete claim %s: %w", object.GetName(), err)
	}
	return nil
}
