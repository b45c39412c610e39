// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"math"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/analysis/experiment"
	"zfsbench.io/operator/internal/report"
	"zfsbench.io/operator/internal/result"
)

// record copies the runner's report into the node's status, until the outcome is known: after that, a cleanup reports
// something else.
func (n *nodeRun) record(status *v1alpha1.NodeStatus) {
	if n.run == nil {
		return
	}
	if !n.run.Plan.DryRun {
		status.Trials.Total = int32(n.planned())
	}
	if n.progress == nil {
		return
	}
	status.Trials.Completed = int32(min(n.progress.Completed, n.planned()))
	status.Trials.Failed = min(int32(min(n.progress.Failed, n.planned())), status.Trials.Total-status.Trials.Completed)
	if facts := n.progress.Node; facts != nil {
		status.OpenZFSUserland, status.OpenZFSModule = facts.OpenZFSUserland, facts.OpenZFSModule
		status.Kernel, status.CPUs = facts.Kernel, int32(min(facts.CPUs, math.MaxInt32))
		status.ARCMaxBytes, status.MemoryBytes = facts.ARCMaxBytes, facts.MemoryBytes
	}
}

// planned is how many trials there will be: fewer than in the plan once the results show that the rest is not needed.
func (n *nodeRun) planned() int {
	if n.wanted > 0 {
		return n.wanted
	}
	return len(experiment.EndOf(n.run.Plan, nil).Wanted(n.run.Plan))
}

// progressOf sums up the nodes. It is nil until a plan says how many trials there are, and for a dry run, which has no
// trials. The estimate counts from the last report, not from now: a reconcile without news must not change status.
func (s *scope) progressOf() *v1alpha1.Progress {
	var nodes []report.NodeProgress
	var last time.Time
	running := false
	for _, n := range s.runs {
		status := s.nodeStatus(n.name)
		if status == nil {
			continue
		}
		node := report.NodeProgress{
			Planned: int(status.Trials.Total), Completed: int(status.Trials.Completed), Failed: int(status.Trials.Failed),
			Durations: s.reading.nodes[n.name].durations, Ended: terminal(status.State),
		}
		if status.State == nodeRunning && n.progress != nil {
			node.Current = n.current()
			// A time from a clock that is far ahead gives no estimate.
			if at := n.progress.Updated; !at.After(s.now.Add(clockSkew)) {
				running = true
				if at.After(last) {
					last = at
				}
			}
		}
		nodes = append(nodes, node)
	}
	progress := report.Progress(nodes, int(ptr.Deref(s.benchmark.Spec.Nodes.MaxParallel, 0)), last)
	if progress.Trials.Total == 0 {
		return nil
	}
	if !running {
		progress.EstimatedCompletionTime = nil
	}
	return &progress
}

// current is the trial that runs now, or nil.
func (n *nodeRun) current() *result.CurrentTrial {
	if n.progress == nil || n.progress.State != result.StateRunning {
		return nil
	}
	return n.progress.Current
}

// startTimeOf is when the first runner began, nil before.
func (s *scope) startTimeOf() *metav1.Time {
	start := s.status().StartTime
	for _, n := range s.runs {
		if n.progress == nil || n.progress.Started.IsZero() {
			continue
		}
		started := clampStart(n.progress.Started, s.benchmark.CreationTimestamp.Time, s.now)
		if at := metav1.NewTime(started.Truncate(time.Second)); start == nil || at.Before(start) {
			start = &at
		}
	}
	return start
}
