// SPDX-License-Identifier: Apache-2.0

package disks

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/text/human"
)

// Note says in complete sentences what a reader of the list must know: that there is none yet, that it is not current,
// or not complete. Empty if there is nothing.
func Note(s v1alpha1.NodeStorage, now time.Time) string {
	current := Current(s)
	switch {
	case s.Status.ObservedAt == nil && current.Reason == v1alpha1.ReasonDiscoveryFailed:
		return fmt.Sprintf("%s: The node has not been looked at yet. %s %s", s.Name, current.Message, again(s.Name))
	case s.Status.ObservedAt == nil:
		return fmt.Sprintf("%s: The node has not been looked at yet. Wait for it: `kubectl zfsbench devices %s --wait`",
			s.Name, s.Name)
	case current.Status != metav1.ConditionTrue:
		note := fmt.Sprintf("%s: The list is %s old and may no longer be true. %s", s.Name, Age(s, now), current.Message)
		if IsTaken(s) {
			return note
		}
		return note + " " + again(s.Name)
	case s.Status.OmittedDisks > 0:
		return fmt.Sprintf("%s: The node has %s that the list has no room for.", s.Name,
			human.Plural(int(s.Status.OmittedDisks), "more disk"))
	case len(s.Status.Disks) == 0:
		return s.Name + ": No disks were found on the node."
	}
	return ""
}

func again(node string) string {
	return fmt.Sprintf("Ask for a new discovery: `kubectl zfsbench devices %s --discover --wait`, or change the "+
		"annotation %s of the NodeStorage.", node, v1alpha1.AnnotationDiscover)
}

// Current is the condition that says whether the list is what the node has now; empty if there is none.
func Current(s v1alpha1.NodeStorage) metav1.Condition {
	if c := meta.FindStatusCondition(s.Status.Conditions, v1alpha1.ConditionCurrent); c != nil {
		return *c
	}
	return metav1.Condition{}
}

// IsTaken says whether a benchmark uses the node, or just did: the node is looked at after it.
func IsTaken(s v1alpha1.NodeStorage) bool {
	reason := Current(s).Reason
	return reason == v1alpha1.ReasonBenchmarkRuns || reason == v1alpha1.ReasonBenchmarkEnded
}

// Missing says why a node has no NodeStorage. nodes are the nodes of the cluster; nil if the user may not read them.
func Missing(name string, nodes []corev1.Node) string {
	label := fmt.Sprintf("`kubectl label node %s %s=true`", name, v1alpha1.LabelNodeAllowed)
	i := slices.IndexFunc(nodes, func(n corev1.Node) bool { return n.Name == name })
	switch {
	case nodes == nil:
		return fmt.Sprintf("%s: There is no NodeStorage of that name. The operator makes one for each node with the label "+
			"%s=true: %s", name, v1alpha1.LabelNodeAllowed, label)
	case i < 0:
		return fmt.Sprintf("%s: Node %s does not exist.", name, name)
	case !IsAllowed(nodes[i]):
		return fmt.Sprintf("%s: The operator does not look at the node before the node allows benchmarks: %s", name, label)
	}
	return fmt.Sprintf("%s: The node allows benchmarks, but the operator has not made its NodeStorage yet. Wait for it: "+
		"`kubectl zfsbench devices %s --wait`. If it does not appear, the operator may not be running.", name, name)
}

// IsAllowed says whether a node allows benchmarks.
func IsAllowed(n corev1.Node) bool { return n.Labels[v1alpha1.LabelNodeAllowed] == "true" }
