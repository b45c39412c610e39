// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/kube/jobspec"
)

// queue takes the leases of nodes when it is the benchmark's turn, and starts there. For other nodes it sets the
// message that says which benchmark comes first.
func (r *Reconciler) queue(ctx context.Context, s *scope) error {
	slots := s.slots()
	var errs []error
	for _, n := range s.runs {
		if n.decision.do != doQueue {
			continue
		}
		if slots <= 0 {
			n.setQueued(s, nodeWaiting, fmt.Sprintf("Waiting for another node of this benchmark: maxParallel is %d.",
				*s.benchmark.Spec.Nodes.MaxParallel))
			continue
		}
		slots--
		errs = append(errs, n.recordError(s, r.takeTurn(ctx, s, n)))
	}
	return errors.Join(errs...)
}

// slots is the number of further nodes on which the benchmark may run or queue. Queueing counts, because a benchmark
// that may not start must not block a queue.
func (s *scope) slots() int {
	if s.benchmark.Spec.Nodes.MaxParallel == nil {
		return len(s.runs)
	}
	slots := int(*s.benchmark.Spec.Nodes.MaxParallel)
	for _, n := range s.runs {
		if n.ours {
			slots--
		}
	}
	return slots
}

// takeTurn takes the node's lease and starts the run, or sets the message that says which benchmark comes first.
func (r *Reconciler) takeTurn(ctx context.Context, s *scope, n *nodeRun) error {
	ahead := s.queueAhead(n)
	if n.lease != nil || len(ahead) > 0 {
		n.setQueued(s, nodeQueued, queueMessage(n.name, s.behind(ahead, s.holderName(n.lease))))
		return nil
	}
	if inUse := s.diskInUse(r.diskLeases(s, n)); inUse != "" {
		n.queueForDisk(s, inUse)
		return nil
	}
	if err := r.requireFresh(ctx, s); err != nil {
		return err
	}
	lease := jobspec.Lease(r.Config.RunnerNamespace, s.benchmark, n.name, n.uid)
	if err := r.Create(ctx, lease); apierrors.IsAlreadyExists(err) {
		n.setQueued(s, nodeQueued, queueMessage(n.name, "another benchmark"))
		return nil
	} else if err != nil {
		return fmt.Errorf("create lease: %w", err)
	}
	n.lease, n.ours = lease, true
	n.decision.do = doStart
	n.setQueued(s, nodeRunning, "The runner's pod is starting.")
	return r.start(ctx, s, n)
}

// setQueued changes this reconcile's message about the node.
func (n *nodeRun) setQueued(s *scope, state, message string) {
	n.decision.state, n.decision.message = state, message
	if status := s.nodeStatus(n.name); status != nil {
		status.State, status.Message = state, message
	}
}

// queueAhead are the benchmarks that wait for the same node and run before this one, in order.
func (s *scope) queueAhead(n *nodeRun) []*v1alpha1.ZfsBenchmark {
	order := turns(s.served(n.uid))
	var ahead []*v1alpha1.ZfsBenchmark
	for i := range s.others {
		if other := &s.others[i]; waitsFor(other, n.uid) && order(other, s.benchmark) < 0 {
			ahead = append(ahead, other)
		}
	}
	slices.SortFunc(ahead, order)
	return ahead
}

// behind names the last benchmark of the same namespace that comes earlier; if there is none, the holder of the node;
// else the next in the queue. It names no position: that would change for everybody in the queue whenever a benchmark
// ends, or when another namespace joins, because namespaces take turns.
func (s *scope) behind(ahead []*v1alpha1.ZfsBenchmark, holder string) string {
	last := ""
	for _, other := range ahead {
		if other.Namespace == s.benchmark.Namespace {
			last = other.Namespace + "/" + other.Name
		}
	}
	if last == "" && holder == "" && len(ahead) > 0 {
		last = ahead[0].Namespace + "/" + ahead[0].Name
	}
	return cmp.Or(last, holder)
}

// waitsFor means that a benchmark would start on the node if it were free.
func waitsFor(benchmark *v1alpha1.ZfsBenchmark, nodeUID string) bool {
	if !benchmark.DeletionTimestamp.IsZero() || benchmark.Spec.Suspend {
		return false
	}
	return slices.ContainsFunc(benchmark.Status.Nodes, func(node v1alpha1.NodeStatus) bool {
		return node.UID == nodeUID && node.State == nodeQueued
	})
}

// queueMessage is for example "In the queue for storage-0, behind default/other."
func queueMessage(node, behind string) string {
	return sentence(fmt.Sprintf("In the queue for %s, behind %s.", node, behind))
}

// holderName names the holder of a lease, and says what to do if the holder has ended or no longer exists.
func (s *scope) holderName(lease *coordinationv1.Lease) string {
	if lease == nil {
		return ""
	}
	if leaseHolder(lease) == s.uid() {
		return "this benchmark, on another node"
	}
	name := lease.Annotations[jobspec.AnnotationBenchmark]
	for i := range s.others {
		other := &s.others[i]
		if string(other.UID) != leaseHolder(lease) {
			continue
		}
		if isTrue(&other.Status, v1alpha1.ConditionFinished) {
			return name + ", which has ended but could not be cleaned up: delete it to try again"
		}
		return name
	}
	return name + ", which no longer exists: what it left is being removed; the events of the node show the progress " +
		"(`kubectl describe node`)"
}
