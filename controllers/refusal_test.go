// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"zfsbench.io/operator/api/v1alpha1"
)

func TestRefuse(t *testing.T) {
	known := func(uid string) *nodeRun { return MakeRun().With(func(n *nodeRun) { n.uid = uid }).Obj() }
	tests := map[string]struct {
		node *corev1.Node
		run  *nodeRun
		want *refusal
	}{
		"agrees":          {MakeNode("storage-0").Obj(), nil, nil},
		"agrees, as once": {MakeNode("storage-0").Obj(), known("storage-0-uid"), nil},
		"missing": {MakeNode("other").Obj(), nil,
			&refusal{reason: v1alpha1.ReasonNodeNotFound, message: "Node storage-0 does not exist."}},
		"replaced": {MakeNode("storage-0").Obj(), known("before"), &refusal{
			reason: v1alpha1.ReasonNodeNotFound,
			message: "Node storage-0 was replaced after the benchmark was accepted: its UID was before and is now " +
				"storage-0-uid.",
		}},
		"not labelled": {MakeNode("storage-0").NotAllowed().Obj(), nil, &refusal{
			reason: v1alpha1.ReasonNodeNotAllowed, revoked: true,
			message: "Node storage-0 does not allow benchmarks: `kubectl label node storage-0 zfsbench.io/allowed=true` " +
				"allows them.",
		}},
		"labelled otherwise": {MakeNode("storage-0").Label(v1alpha1.LabelNodeAllowed, "yes").Obj(), nil, &refusal{
			reason: v1alpha1.ReasonNodeNotAllowed, revoked: true,
			message: "Node storage-0 does not allow benchmarks: `kubectl label node storage-0 zfsbench.io/allowed=true` " +
				"allows them.",
		}},
		"not Ready": {MakeNode("storage-0").NotReady().Obj(), nil,
			&refusal{reason: v1alpha1.ReasonNodeNotReady, message: "Node storage-0 is not Ready."}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := &scope{benchmark: MakeBenchmark("default", "a").Node("storage-0").Obj(),
				nodes: map[string]*corev1.Node{tt.node.Name: tt.node}}
			if diff := cmp.Diff(tt.want, testReconciler().refuse(s, "storage-0", tt.run),
				cmp.AllowUnexported(refusal{})); diff != "" {
				t.Errorf("refusal (-want +got):\n%s", diff)
			}
		})
	}
}

func TestResolveNodes(t *testing.T) {
	nodes := map[string]*corev1.Node{
		"a": MakeNode("a").Label("disk", "fast").Obj(),
		"b": MakeNode("b").Label("disk", "slow").Obj(),
		"c": MakeNode("c").Label("disk", "fast").Obj(),
	}
	tests := map[string]struct {
		spec    v1alpha1.NodesSpec
		want    []string
		missing *refusal
	}{
		"names as given":        {MakeBenchmark("", "").Node("c", "a").Obj().Spec.Nodes, []string{"c", "a"}, nil},
		"names that are absent": {MakeBenchmark("", "").Node("x").Obj().Spec.Nodes, []string{"x"}, nil},
		"selector, sorted":      {MakeBenchmark("", "").Selector("disk", "fast").Obj().Spec.Nodes, []string{"a", "c"}, nil},
		"selector of nothing": {MakeBenchmark("", "").Selector("disk", "none").Obj().Spec.Nodes, nil, &refusal{
			reason: v1alpha1.ReasonNodeNotFound, message: `No node matches the selector "disk=none".`,
		}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, missing := resolveNodes(tt.spec, nodes)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("nodes (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.missing, missing, cmp.AllowUnexported(refusal{})); diff != "" {
				t.Errorf("refusal (-want +got):\n%s", diff)
			}
		})
	}
}
