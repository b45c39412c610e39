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
	"zfsbench.io/operator/internal/kube/jobspec"
	"zfsbench.io/operator/internal/result"
)

// reportedOrphan is what was last reported about an orphan on one node.
type reportedOrphan struct {
	of   orphan
	node *corev1.Node
	note string
	// planned means that its plan existed; lost means that its node did not.
	planned, lost bool
}

// report writes events about the nodes of an orphan, because there is no benchmark to attach them to. An event is not
// repeated.
func (o *orphans) report(ctx context.Context, s *scope, of orphan) {
	for _, e := range s.extra {
		o.write(ctx, s.nodes[e.node], e.notice)
	}
	for _, n := range s.runs {
		key := string(of.uid) + "/" + n.name
		before := o.reported[key]
		now := reportedOrphan{of: of, node: s.nodes[n.name], note: before.note, planned: n.run != nil, lost: n.lost()}
		if e := orphanNotice(n, of, o.Config.RunnerNamespace); !n.cleanupStep.done && e.note != before.note {
			now.note = e.note
			o.write(ctx, now.node, e)
		}
		o.reported[key] = now
	}
}

// reportRemoved writes the last event about orphans that are completely removed.
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
	switch {
	case t.lost:
		note = fmt.Sprintf("Benchmark %s no longer exists, nor does its node: nothing was removed there, and nothing waits "+
			"for it.", t.of)
	case !t.planned:
		note = fmt.Sprintf("Benchmark %s no longer exists, nor does its plan: the node is free for others. "+
			"If the benchmark left anything on its devices, the next runner there removes it, using the journal on the "+
			"node.", t.of)
	}
	return notice{kind: corev1.EventTypeNormal, reason: v1alpha1.ReasonOrphanRemoved, action: "CleanUp", note: note}
}

// orphanNotice says what was found on a node and what is being done about it. It is a pure function.
func orphanNotice(n *nodeRun, of orphan, namespace string) notice {
	found := fmt.Sprintf("Benchmark %s no longer exists, but left %d objects. ", of, of.objects)
	doing, advice := strings.TrimSpace(n.cleanupStep.note+" "+n.cleanupStep.failure), orphanAdvice(n, of, namespace)
	// A cleanup's message can be long, and must not cut off the advice.
	note := found + clip(doing, max(0, maxNote-len(found)-len(advice)-len(" …"))) + advice
	return notice{kind: corev1.EventTypeWarning, reason: v1alpha1.ReasonOrphanFound, action: "CleanUp", note: note}
}

// orphanAdvice says what a person can do where waiting may not be enough. There is no benchmark to annotate.
func orphanAdvice(n *nodeRun, of orphan, namespace string) string {
	switch {
	case n.run == nil && n.cleanupStep.failure != "":
		return fmt.Sprintf(" Clean up the node by hand, then run `kubectl -n %s delete configmap,job,lease -l %s=%s`.",
			namespace, v1alpha1.LabelBenchmarkUID, of.uid)
	case n.lost():
		return ""
	case !n.ready():
		return fmt.Sprintf(" Node %s is not Ready; this continues when it is. If it never will be, delete the Node object.",
			n.name)
	case n.cleanup == nil || !ended(n.cleanup) || n.hasNothingToCleanUp():
		return ""
	}
	advice := " Remove by hand what this message names; the cleanup is tried again every minute."
	if serials := n.recordedSerials(); len(serials) > 0 {
		advice += fmt.Sprintf(" If a disk never comes back, a cluster administrator can give it up by its serial number: "+
			"`kubectl -n %s annotate --overwrite configmap %s %s=%s`.",
			namespace, n.progressMap.Name, jobspec.AnnotationForget, strings.Join(serials, ","))
	}
	return advice
}

// recordedSerials are the serial numbers of the disks that the runner has recorded; none if that cannot be read.
func (n *nodeRun) recordedSerials() []string {
	if !n.owned || n.progressMap == nil {
		return nil
	}
	owned, err := result.DecodeOwnership([]byte(n.progressMap.Data[jobspec.KeyOwnership]))
	if err != nil {
		return nil
	}
	var serials []string
	for _, d := range owned.Devices {
		if d.Serial != "" {
			serials = append(serials, d.Serial)
		}
	}
	return serials
}
