// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/spec/validate"
)

// accept decides whether the benchmark may run: the spec is valid, and every node exists, is Ready, is labelled and has
// the administrator's consent. Until the benchmark is accepted, accept ends the reconcile. After that the nodes are
// fixed, and a refusal only stops nodes that have not started.
func (r *Reconciler) accept(ctx context.Context, s *scope) (bool, error) {
	if err := r.loadNamespace(ctx, s); err != nil {
		return false, err
	}
	if len(s.status().Nodes) == 0 {
		return true, r.admit(ctx, s)
	}
	var open []string
	for _, n := range s.runs {
		if !n.started() {
			open = append(open, n.name)
		}
	}
	if err := r.loadNeeds(ctx, s, open); err != nil {
		return false, err
	}
	var waiting []refusal
	for _, n := range s.runs {
		n.refusal = r.refuse(s, n.name, n)
		if n.refusal != nil && !n.started() && !terminal(s.nodeStatus(n.name).State) {
			waiting = append(waiting, *n.refusal)
		}
	}
	s.setAcceptance(waiting)
	return false, nil
}

// admit resolves the nodes of a new benchmark and, if all agree, records them. The next reconcile, which reads them
// from the API, creates their objects.
func (r *Reconciler) admit(ctx context.Context, s *scope) error {
	if errs := validate.Benchmark(s.benchmark); len(errs) > 0 {
		s.reject(errs.ToAggregate().Error() + ".")
		return nil
	}
	names, refused := resolveNodes(s.benchmark.Spec.Nodes, s.nodes)
	if refused != nil {
		s.setAcceptance([]refusal{*refused})
		return nil
	}
	if err := r.loadStorages(ctx, s); err != nil {
		return err
	}
	if err := r.loadNeeds(ctx, s, names); err != nil {
		return err
	}
	var refusals []refusal
	var nodes []v1alpha1.NodeStatus
	for _, name := range names {
		if refused := r.refuse(s, name, nil); refused != nil {
			refusals = append(refusals, *refused)
			continue
		}
		nodes = append(nodes, v1alpha1.NodeStatus{Name: name, UID: string(s.nodes[name].UID), State: nodeWaiting,
			Disks: chosenDisks(r.devicesOn(s, name))})
	}
	if len(refusals) == 0 {
		refused, err := r.checkSize(s, names)
		if err != nil {
			s.reject(fmt.Sprintf("No plan can be made: %v.", err))
			return nil
		}
		if refused != nil {
			refusals = []refusal{*refused}
		}
	}
	s.setAcceptance(refusals)
	if len(refusals) == 0 {
		s.status().Nodes = nodes
	}
	return nil
}

// reject ends a benchmark that can never run, however nodes and policies change: its spec is immutable.
func (s *scope) reject(message string) {
	message = sentence(message + " A spec cannot be changed: create a new benchmark.")
	s.setAccepted(false, v1alpha1.ReasonInvalidSpec, message)
	s.setRunning(false, v1alpha1.ReasonInvalidSpec, message)
	s.setFailed(v1alpha1.ReasonInvalidSpec, message)
	s.setFinished(v1alpha1.ReasonInvalidSpec, message)
	s.reading = &reading{}
	s.setThresholdsMet()
}

// loadNeeds reads what the benchmark needs to start on these nodes and what no watch covers.
func (r *Reconciler) loadNeeds(ctx context.Context, s *scope, names []string) error {
	if err := r.loadVolumes(ctx, s, names); err != nil {
		return err
	}
	if err := r.loadDriver(ctx, s, names); err != nil {
		return err
	}
	return r.loadCorpora(ctx, s, names)
}

// setAcceptance sets Accepted, and Running to match when nothing runs.
func (s *scope) setAcceptance(refusals []refusal) {
	if len(refusals) == 0 {
		s.setAccepted(true, v1alpha1.ReasonAccepted, "The benchmark may run on every node.")
		return
	}
	var messages []string
	for _, refused := range refusals {
		messages = append(messages, refused.message)
	}
	s.setAccepted(false, refusals[0].reason, sentence(strings.Join(messages, " ")))
}

// resolveNodes returns the names of the nodes to run on, in the order given or sorted.
func resolveNodes(spec v1alpha1.NodesSpec, nodes map[string]*corev1.Node) ([]string, *refusal) {
	if len(spec.Names) > 0 {
		return spec.Names, nil
	}
	selector, err := metav1.LabelSelectorAsSelector(spec.Selector)
	if err != nil {
		return nil, &refusal{reason: v1alpha1.ReasonInvalidSpec, message: fmt.Sprintf("spec.nodes.selector: %v.", err)}
	}
	var names []string
	for name, node := range nodes {
		if selector.Matches(labels.Set(node.Labels)) {
			names = append(names, name)
		}
	}
	switch n, text := len(names), metav1.FormatLabelSelector(spec.Selector); {
	case n == 0:
		return nil, &refusal{reason: v1alpha1.ReasonNodeNotFound,
			message: fmt.Sprintf("No node matches the selector %q.", text)}
	case n > validate.MaxNodes:
		return nil, &refusal{reason: v1alpha1.ReasonTooManyNodes, message: fmt.Sprintf(
			"%d nodes match the selector %q, and a benchmark runs on at most %d: give fewer nodes these labels, "+
				"or create benchmarks with narrower selectors.", n, text, validate.MaxNodes)}
	}
	slices.Sort(names)
	return names, nil
}
