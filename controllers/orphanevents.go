// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"zfsbench.io/operator/api/v1alpha1"
)

// reportedOrphan is what was last reported about an orphan on one node.
type reportedOrphan struct {
	of   orphan
	node *corev1.Node
	note string
	// planned means that its plan was there.
	planned bool
}

// report writes events about the nodes of an orphan, since there is no benchmark to write them about. An event is not
// repeated.
func (o *orphans) report(ctx context.Context, s *scope, of orphan) {
	for _, n := range s.runs {
		key := string(of.uid) + "/" + n.name
		before := o.reported[key]
		now := reportedOrphan{of: of, node: n.node, note: before.note, planned: n.run != nil}
		if e := orphanNotice(n, of, o.Config.RunnerNamespace); !n.settlement.done && e.note != before.note {
			now.note = e.note
			o.write(ctx, n.node, e)
		}
		o.reported[key] = now
	}
	o.reportKept(ctx, s)
}

// reportKept writes the events about volumes that stay, each of which is kept once.
func (o *orphans) reportKept(ctx context.Context, s *scope) {
	var node *corev1.Node
	if len(s.runs) > 0 {
		node = s.runs[0].node
	}
	for _, e := range s.extra {
		if e.reason == v1alpha1.ReasonVolumeKept {
			o.write(ctx, node, e)
		}
	}
}

// reportRemoved writes the last event about orphans of which nothing is left.
func (o *orphans) reportRemoved(ctx context.Context, left []orphan) {
	for key, last := range o.reported {
		if !slices.ContainsFunc(left, func(each orphan) bool { return each.uid == last.of.uid }) {
			o.write(ctx, last.node, last.removed())
			delete(o.reported, key)
		}
	}
}

func (o *orphans) write(ctx context.Context, node *corev1.Node, e notice) {
	log.FromContext(ctx).Info(e.note, "reason", e.reason)
	if node != nil {
		o.Recorder.Eventf(node, nil, e.kind, e.reason, e.action, "%s", clip(sentence(e.note), maxNote))
	}
}

func (t reportedOrphan) removed() notice {
	note := fmt.Sprintf("Benchmark %s no longer exists; what it left was removed, and the node is free for others.", t.of)
	if !t.planned {
		note = fmt.Sprintf("Benchmark %s no longer exists, nor does its plan: the node is free for others. "+
			"If the benchmark left anything on its devices, the next runner there removes it, by the journal on the node.", t.of)
	}
	return notice{kind: corev1.EventTypeNormal, reason: v1alpha1.ReasonOrphanRemoved, action: "CleanUp", note: note}
}

// orphanNotice says what was found on a node and what is being done about it. It is a pure function.
func orphanNotice(n *nodeRun, of orphan, namespace string) notice {
	note := fmt.Sprintf("Benchmark %s no longer exists, but %d objects of it were left. %s", of, of.objects,
		strings.TrimSpace(n.settlement.note+" "+n.settlement.failure))
	switch {
	case n.run == nil && n.settlement.failure != "":
		note += fmt.Sprintf(" Remove by hand what is on the node, then `kubectl -n %s delete configmap,job,lease -l %s=%s`.",
			namespace, v1alpha1.LabelBenchmarkUID, of.uid)
	case !n.ready():
		note += fmt.Sprintf(" Node %s is not Ready; this goes on when it is. If it never will be, delete the Node object.",
			n.name)
	}
	return notice{kind: corev1.EventTypeWarning, reason: v1alpha1.ReasonOrphanFound, action: "CleanUp", note: note}
}
