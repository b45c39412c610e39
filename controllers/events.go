// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zfsbench.io/operator/api/v1alpha1"
)

// notice is one event about a benchmark. kind is Normal or Warning; reason and action are identifiers, note is a
// sentence.
type notice struct {
	kind, reason, action, note string
}

// nodeNotice is a notice about a node: the event is written there if the benchmark no longer exists.
type nodeNotice struct {
	notice
	node string
}

// addEvents adds events about a node that no change of status causes.
func (s *scope) addEvents(node string, events ...notice) {
	for _, e := range events {
		s.extra = append(s.extra, nodeNotice{e, node})
	}
}

// statusEvents are the events that a change of status causes: what a person wants to know after a while away.
func statusEvents(before, after *v1alpha1.ZfsBenchmarkStatus) []notice {
	var events []notice
	for _, rule := range eventRules() {
		was, is := meta.FindStatusCondition(before.Conditions, rule.condition),
			meta.FindStatusCondition(after.Conditions, rule.condition)
		if is == nil || was != nil && !rule.changed(was, is) || rule.quiet != nil && rule.quiet(after) {
			continue
		}
		events = append(events, notice{kind: rule.kind(is), reason: is.Reason, action: rule.action, note: is.Message})
	}
	return append(events, nodeEvents(before.Nodes, after.Nodes)...)
}

// eventRule says which changes of a condition make an event.
type eventRule struct {
	condition string
	action    string
	changed   func(was, is *metav1.Condition) bool
	kind      func(is *metav1.Condition) string
	// quiet, if set, suppresses the event when another condition reports the same.
	quiet func(after *v1alpha1.ZfsBenchmarkStatus) bool
}

func eventRules() []eventRule {
	everything := func(was, is *metav1.Condition) bool {
		return was.Status != is.Status || was.Reason != is.Reason || was.Message != is.Message
	}
	outline := func(was, is *metav1.Condition) bool { return was.Status != is.Status || was.Reason != is.Reason }
	always := func(kind string) func(*metav1.Condition) string {
		return func(*metav1.Condition) string { return kind }
	}
	falseWarns := func(is *metav1.Condition) string {
		if is.Status == metav1.ConditionTrue {
			return corev1.EventTypeNormal
		}
		return corev1.EventTypeWarning
	}
	// Complete or Failed report the end, except for a benchmark being deleted.
	finished := func(after *v1alpha1.ZfsBenchmarkStatus) bool {
		return isTrue(after, v1alpha1.ConditionFinished) && phaseOf(after) != v1alpha1.PhaseDeleting
	}
	return []eventRule{
		{v1alpha1.ConditionAccepted, "Accept", everything, falseWarns, nil},
		{v1alpha1.ConditionRunning, "Run", outline, always(corev1.EventTypeNormal), finished},
		{v1alpha1.ConditionResultsPublished, "Publish", everything, falseWarns, nil},
		{v1alpha1.ConditionComplete, "Finish", outline, always(corev1.EventTypeNormal), nil},
		{v1alpha1.ConditionThresholdsMet, "Judge", outline, falseWarns, nil},
		{v1alpha1.ConditionFailed, "Finish", outline, always(corev1.EventTypeWarning), nil},
	}
}

// nodeEvents report nodes that have failed: others may go on for hours before the benchmark has an outcome.
func nodeEvents(before, after []v1alpha1.NodeStatus) []notice {
	if len(after) < 2 {
		return nil
	}
	was := map[string]v1alpha1.NodeStatus{}
	for _, node := range before {
		was[node.Name] = node
	}
	var events []notice
	for _, node := range after {
		if node.State == nodeFailed && (was[node.Name].State != nodeFailed || was[node.Name].Reason != node.Reason) {
			note := fmt.Sprintf("Node %s: %s", node.Name, node.Message)
			events = append(events, notice{kind: corev1.EventTypeWarning, reason: node.Reason, action: "Run", note: note})
		}
	}
	return events
}
