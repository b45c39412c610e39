// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/analysis/experiment"
	"zfsbench.io/operator/internal/kube/jobspec"
	"zfsbench.io/operator/internal/result"
)

// nodeRun is everything that exists of the benchmark on one node. Decisions are functions of it.
type nodeRun struct {
	name string
	// uid is the node's UID when the benchmark was accepted; empty before.
	uid string
	// node is nil if there is no such node, or if another node has this name now: that one is replacement.
	node, replacement *corev1.Node
	// lease is the node's lock, whoever holds it; ours says whether this benchmark holds it.
	lease *coordinationv1.Lease
	ours  bool
	// refusal is why the node may not run the benchmark (now), or nil.
	refusal *refusal
	// abandoned means that somebody declared the node lost for good.
	abandoned bool

	planMap     *corev1.ConfigMap
	progressMap *corev1.ConfigMap
	// progressMaps are all ConfigMaps that look like progress; progressMap is the plan's own.
	progressMaps []*corev1.ConfigMap
	shards       []*corev1.ConfigMap
	// claimMaps hold the manager's answers about claims. claimRequest is the runner's request, claimAnswer the last
	// answer; nil without one.
	claimMaps    []*corev1.ConfigMap
	claimRequest *result.ClaimRequest
	claimAnswer  *result.ClaimAnswer
	job          *batchv1.Job
	cleanup      *batchv1.Job
	pods         []*corev1.Pod
	// imagePod holds the run's images beside the runner; imageError is why this reconcile could not make or remove it.
	imagePod   *corev1.Pod
	imageError string
	// holders are the pods that have claimed volumes mounted.
	holders []*corev1.Pod
	// podWarning is the last warning event about a pod that its node has not set up, not sanitized.
	podWarning string

	// run is the plan as it was made; nil before that.
	run *jobspec.Run
	// progress is the runner's last report, nil before the first one.
	progress *result.Progress
	// owned means that the runner has recorded something it owns on the node, or that the record cannot be read.
	owned bool
	// foundEmpty means that the claimed volume was recorded as empty, so that it may be deleted with its claim.
	foundEmpty bool
	// results is the number of trials that have a result, failures the number of these that failed; resultsError says
	// which result cannot be read.
	results, failures int
	// wanted is how many trials the plan needs according to the results so far, 0 before they are read; end says after
	// which repetition it ends.
	wanted       int
	end          experiment.End
	resultsError error
	// recordsError says which plan, progress or ownership cannot be read.
	recordsError error

	// decision and cleanupStep are what this reconcile decided.
	decision    decision
	cleanupStep cleanupStep
}

// started means that a plan was made: from then on it runs as planned, or fails.
func (n *nodeRun) started() bool { return n.run != nil }

// lost means that this Node object will not come back.
func (n *nodeRun) lost() bool { return n.uid != "" && n.node == nil }

// outOfService means that somebody has declared with a taint that nothing runs on the node any more. Its pods then
// never end by themselves. A deleted or replaced Node object does not prove that: the machine's kubelet may still run,
// and register again.
func (n *nodeRun) outOfService() bool { return isOutOfService(n.node) || isOutOfService(n.replacement) }

func isOutOfService(node *corev1.Node) bool {
	return node != nil && slices.ContainsFunc(node.Spec.Taints, func(taint corev1.Taint) bool {
		return taint.Key == corev1.TaintNodeOutOfService
	})
}

// reported is the state of the runner's last report; empty without one.
func (n *nodeRun) reported() string {
	if n.progress == nil {
		return ""
	}
	return n.progress.State
}

// ownsNothing means that nothing of the benchmark is on the node's devices: nothing is recorded as owned, and the last
// report was final. A runner that never reported has not touched a device, because it records what it will own first. A
// record that cannot be read proves nothing.
func (n *nodeRun) ownsNothing() bool {
	final := []string{
		"", result.StateWaiting, result.StateSuspended, result.StateComplete, result.StateFailed, result.StateCleaned,
	}
	return n.recordsError == nil && !n.owned && slices.Contains(final, n.reported())
}

// hasNothingToCleanUp means that not even a journal is left on the node. A runner that will be continued, because it
// was suspended or interrupted, leaves its journal.
func (n *nodeRun) hasNothingToCleanUp() bool {
	return n.ownsNothing() && n.reported() != result.StateSuspended && !n.interrupted()
}

// interrupted means that the runner was stopped from outside and has left its journal for the next one.
func (n *nodeRun) interrupted() bool {
	return n.reported() == result.StateFailed && n.progress.Failure != nil &&
		n.progress.Failure.Reason == v1alpha1.ReasonInterrupted
}

// podsEnded means that, according to the API, no container of the benchmark runs on the node.
func (n *nodeRun) podsEnded() bool {
	return !slices.ContainsFunc(n.pods, func(pod *corev1.Pod) bool { return !podEnded(pod) })
}

// ready is the node's own Ready condition.
func (n *nodeRun) ready() bool { return n.node != nil && nodeReady(n.node) }

func nodeReady(node *corev1.Node) bool {
	return slices.ContainsFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool {
		return c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
	})
}

// leaseHolder is the UID of the benchmark that holds a lease.
func leaseHolder(lease *coordinationv1.Lease) string { return ptr.Deref(lease.Spec.HolderIdentity, "") }
