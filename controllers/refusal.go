// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
)

// refusal is why a node may not run a benchmark: a condition's reason, and sentences that say what would be needed.
type refusal struct {
	reason  string
	message string
	// revoked means that the administrator does not, or no longer, consent. It ends a run; the other refusals only keep
	// one from starting.
	revoked bool
}

// revocation is the reason of a run that ends because consent was withdrawn.
func (f refusal) revocation() string {
	if f.reason == v1alpha1.ReasonNodeNotAllowed {
		return f.reason
	}
	return v1alpha1.ReasonPolicyRevoked
}

// refuse says why the benchmark may not run on a node, or nil. n is the benchmark's run there; nil before the benchmark
// is accepted.
func (r *Reconciler) refuse(s *scope, name string, n *nodeRun) *refusal {
	node := s.nodes[name]
	uid := ""
	if n != nil {
		uid = n.uid
	}
	switch {
	case node == nil:
		return &refusal{reason: v1alpha1.ReasonNodeNotFound, message: fmt.Sprintf("Node %s does not exist.", name)}
	case uid != "" && uid != string(node.UID):
		return &refusal{reason: v1alpha1.ReasonNodeNotFound,
			message: fmt.Sprintf("Node %s was replaced after the benchmark was accepted: its UID was %s and is now %s.",
				name, uid, node.UID)}
	case node.Labels[v1alpha1.LabelNodeAllowed] != "true":
		return &refusal{reason: v1alpha1.ReasonNodeNotAllowed, revoked: true,
			message: fmt.Sprintf("Node %s does not allow benchmarks: `kubectl label node %s %s=true` allows them.",
				name, name, v1alpha1.LabelNodeAllowed)}
	}
	if refused := r.refuseConsent(s, n, plan.Node{Name: name, UID: string(node.UID)}); refused != nil {
		return refused
	}
	if n == nil || !n.started() {
		if refused := s.refuseVolumes(name, disksOf(r.devicesOn(s, name))); refused != nil {
			return refused
		}
		if refused := r.refuseClaims(s, node); refused != nil {
			return refused
		}
		if refused := r.refuseCorpora(s); refused != nil {
			return refused
		}
	}
	if !nodeReady(node) {
		return &refusal{reason: v1alpha1.ReasonNodeNotReady, message: fmt.Sprintf("Node %s is not Ready.", name)}
	}
	return nil
}
