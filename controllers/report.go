// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/kube/jobspec"
	"zfsbench.io/operator/internal/report"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/storage/csi/localpv"
)

// reportError says that no report can be made of these results, now or later. Status must not wait for it.
type reportError struct{ err error }

func (e *reportError) Error() string { return e.err.Error() }

func (e *reportError) Unwrap() error { return e.err }

// reportKey names everything that a report depends on; empty while there is nothing to report.
func (s *scope) reportKey() string {
	var key strings.Builder
	worth := false
	for _, n := range s.runs {
		status := s.nodeStatus(n.name)
		if status == nil {
			continue
		}
		worth = worth || n.results > 0 || n.reportsPreflight()
		fmt.Fprintf(&key, "%s:%s:%s:%t:%t;", n.name, status.State, status.Reason, n.facts() != nil, n.preflight() != nil)
	}
	if !worth {
		return ""
	}
	return s.reading.key + phaseOf(s.status()) + key.String()
}

// buildReport makes the report of all nodes as ConfigMaps, and stores in the reading what status shows of it.
func (r *Reconciler) buildReport(ctx context.Context, s *scope, key string) ([]*corev1.ConfigMap, error) {
	others, err := r.readOthers(ctx, s)
	if err != nil {
		return nil, err
	}
	if s.trials == nil {
		s.decodeAll()
	}
	in := report.Input{Benchmark: *s.benchmark, Phase: phaseOf(s.status()), OperatorVersion: r.Version, Others: others}
	in.Finished = isTrue(s.status(), v1alpha1.ConditionFinished)
	for _, n := range s.runs {
		if n.run != nil {
			in.Nodes = append(in.Nodes, s.reportNode(n))
		}
	}
	out, err := report.Build(in)
	if err != nil {
		s.reading.reported = key
		return nil, &reportError{err: err}
	}
	s.reading.reported, s.reading.summary, s.reading.results = key, out.Summary, out.Results
	s.reading.omitted, s.reading.warnings = out.OmittedResults, out.Warnings
	s.reading.thresholds = out.Thresholds
	name := jobspec.ResultsConfigMapName(s.benchmark)
	var cms []*corev1.ConfigMap
	for _, chunk := range report.Chunks(name, out) {
		cms = append(cms, jobspec.ReportConfigMap(s.benchmark, chunk.Name, chunk.Data))
	}
	return cms, nil
}

// reportNode is one node's part of a report.
func (s *scope) reportNode(n *nodeRun) report.Node {
	node := report.Node{
		Name: n.name, Plan: n.run.Plan, PlanDigest: n.run.Digest, Planned: n.planned(), Facts: n.facts(),
		Preflight: n.preflight(), Trials: s.trials[n.name],
	}
	if n.node != nil {
		node.DriverID = localpv.NodeID(n.name, n.node.Labels)
	}
	if status := s.nodeStatus(n.name); status != nil && status.State == nodeFailed {
		node.Failure = &result.Failure{Reason: status.Reason, Message: status.Message}
	}
	return node
}

// facts are the node's facts, or nil before its runner has reported them.
func (n *nodeRun) facts() *result.NodeFacts {
	if n.progress == nil {
		return nil
	}
	return n.progress.Node
}

// preflight is what the node's runner found before it began, or nil before it has reported that.
func (n *nodeRun) preflight() *result.Preflight {
	if n.progress == nil {
		return nil
	}
	return n.progress.Preflight
}

// reportsPreflight means that the preflight is worth a report without any trial: it was a dry run, or the preflight
// stopped the benchmark.
func (n *nodeRun) reportsPreflight() bool {
	found := n.preflight()
	return found != nil && n.run != nil && (n.run.Plan.DryRun || !found.Passed)
}
