// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
)

// mayBeOn says whether a volume's affinity allows a node. A requirement that cannot be understood excludes no node.
func mayBeOn(volume *corev1.PersistentVolume, node *corev1.Node) bool {
	terms := termsOf(volume)
	return len(terms) == 0 || slices.ContainsFunc(terms, func(term corev1.NodeSelectorTerm) bool {
		return meets(term.MatchExpressions, node.Labels) && meets(term.MatchFields, labels.Set{"metadata.name": node.Name})
	})
}

func meets(requirements []corev1.NodeSelectorRequirement, set labels.Set) bool {
	operators := map[corev1.NodeSelectorOperator]selection.Operator{
		corev1.NodeSelectorOpIn: selection.In, corev1.NodeSelectorOpNotIn: selection.NotIn,
		corev1.NodeSelectorOpExists: selection.Exists, corev1.NodeSelectorOpDoesNotExist: selection.DoesNotExist,
		corev1.NodeSelectorOpGt: selection.GreaterThan, corev1.NodeSelectorOpLt: selection.LessThan,
	}
	for _, r := range requirements {
		requirement, err := labels.NewRequirement(r.Key, operators[r.Operator], r.Values)
		if err == nil && !requirement.Matches(set) {
			return false
		}
	}
	return true
}
