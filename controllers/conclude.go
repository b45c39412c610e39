// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
)

// conclude summarizes the nodes in progress, columns and conditions. It finishes the benchmark when every node has an
// outcome and was released.
func (r *Reconciler) conclude(_ context.Context, s *scope) (bool, error) {
	s.status().StartTime = s.startTimeOf()
	s.status().Progress = s.progressOf()
	s.status().Devices = s.devicesOf()
	if !s.finish() {
		s.setRunning(s.runningNow())
	}
	return false, nil
}

// columns sets the results of the last report in status, and the print columns.
func (r *Reconciler) columns(_ context.Context, s *scope) (bool, error) {
	s.status().Results, s.status().OmittedResults = s.reading.results, s.reading.omitted
	s.warn(s.reading.warnings)
	s.setThresholdsMet()
	summary := s.reading.summary
	summary.Nodes = nodesColumn(s.status().Nodes)
	if s.benchmark.Spec.DryRun {
		summary.Progress = dryRunColumn
	} else if p := s.status().Progress; p != nil {
		summary.Progress = progressColumn(*p)
		summary.EstimatedCompletion = etaColumn(p.EstimatedCompletionTime, s.now)
	}
	s.status().Summary = &summary
	return true, nil
}

// runningNow is the Running condition of an unfinished benchmark: the most active node decides.
func (s *scope) runningNow() (ok bool, reason, message string) {
	states := map[string][]string{}
	begun := false
	for _, n := range s.runs {
		status := s.nodeStatus(n.name)
		if status == nil {
			continue
		}
		state := status.State
		text := status.Message
		if terminal(state) {
			if n.cleanupStep.done {
				continue
			}
			state, text = nodeRunning, n.cleanupStep.note
		}
		begun = begun || !slices.Contains([]string{"", result.StateWaiting, result.StateSuspended}, n.reported())
		states[state] = append(states[state], s.prefix(n.name)+text)
	}
	join := func(state string) string { return sentence(strings.Join(states[state], " ")) }
	switch {
	case len(states[nodeRunning]) > 0 && begun:
		return true, v1alpha1.ReasonRunning, join(nodeRunning)
	case len(states[nodeRunning]) > 0:
		return true, v1alpha1.ReasonStarting, join(nodeRunning)
	case len(states[nodeQueued]) > 0:
		return false, v1alpha1.ReasonQueued, join(nodeQueued)
	case len(states[nodeSuspended]) > 0:
		return false, v1alpha1.ReasonSuspended, join(nodeSuspended)
	}
	return false, s.waitingReason(), "Nothing is running. " + join(nodeWaiting)
}

// prefix names the node in messages, if the benchmark has more than one.
func (s *scope) prefix(node string) string {
	if len(s.status().Nodes) == 1 {
		return ""
	}
	return node + ": "
}

// waitingReason is the reason why no node runs.
func (s *scope) waitingReason() string {
	for _, n := range s.runs {
		if n.refusal != nil {
			return n.refusal.reason
		}
	}
	return v1alpha1.ReasonStarting
}

// finish sets the final conditions once every node has an outcome and was released, and returns whether it did.
func (s *scope) finish() bool {
	var failures []v1alpha1.NodeStatus
	for _, n := range s.runs {
		status := s.nodeStatus(n.name)
		if status == nil {
			continue
		}
		if !terminal(status.State) || !n.cleanupStep.done {
			return false
		}
		if status.State == nodeFailed {
			failures = append(failures, *status)
		}
	}
	reason, message := s.outcome(failures)
	if len(failures) > 0 {
		s.setFailed(reason, message)
	} else {
		s.setComplete(reason, message)
		s.setConverged()
	}
	s.setRunning(false, reason, message)
	s.setFinished(reason, message)
	return true
}

// outcome is the reason and the message of the final conditions. The first node that failed gives the reason.
func (s *scope) outcome(failures []v1alpha1.NodeStatus) (reason, message string) {
	if len(failures) > 0 {
		var messages []string
		for _, node := range failures {
			messages = append(messages, fmt.Sprintf("Node %s: %s", node.Name, node.Message))
		}
		return failures[0].Reason, sentence(strings.Join(messages, " "))
	}
	nodes := nodesColumn(s.status().Nodes)
	if s.benchmark.Spec.DryRun {
		return v1alpha1.ReasonDryRunPassed,
			sentence(fmt.Sprintf("The preflight passed on %s; nothing was written to any device.%s", nodes, s.firstWarnings()))
	}
	return v1alpha1.ReasonComplete,
		fmt.Sprintf("All %d trials have results, from %s.", s.status().Progress.Trials.Total, nodes)
}

// firstWarnings are the warnings of the first node that has any.
func (s *scope) firstWarnings() string {
	for _, n := range s.runs {
		if found := n.preflight(); found != nil {
			if text := summarizeWarnings(found); text != "" {
				return " On " + n.name + ":" + text
			}
		}
	}
	return ""
}
