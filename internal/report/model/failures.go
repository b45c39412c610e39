// SPDX-License-Identifier: Apache-2.0

package model

import "zfsbench.io/operator/internal/result"

// Failure is why a trial failed, or why a node ended without all of its results.
type Failure struct {
	Node string
	// Trial is nil for the failure of a node.
	Trial *TrialName
	result.Failure
}

// Failures are in the order of nodes and trials; a node's own failure comes first. Failures that are shown in the
// preflight's section are left out.
func (r *Report) Failures() []Failure {
	var all []Failure
	for _, n := range r.Nodes {
		if n.Failure != nil && !n.StoppedByPreflight() {
			all = append(all, Failure{Node: n.Name, Failure: *n.Failure})
		}
		for _, t := range n.Trials {
			if t.Failure != nil {
				all = append(all, Failure{n.Name, &TrialName{n.Name, t.Index, t.Variant, t.Repetition}, *t.Failure})
			}
		}
	}
	return all
}

// ExcludedAttempt is an attempt of a trial that does not count.
type ExcludedAttempt struct {
	TrialName
	// Number counts the attempts of the trial, from 1.
	Number int
	result.Attempt
}

// ExcludedAttempts are in the order of nodes, trials and attempts.
func (r *Report) ExcludedAttempts() []ExcludedAttempt {
	var all []ExcludedAttempt
	for name, t := range r.trials() {
		for i, a := range t.Excluded {
			all = append(all, ExcludedAttempt{name, i + 1, a})
		}
	}
	return all
}

// UnhealthyPool is a pool that was not ONLINE after a workload.
type UnhealthyPool struct {
	TrialName
	Workload string
	Health   string
}

// UnhealthyPools are in the order of nodes, trials and workloads.
func (r *Report) UnhealthyPools() []UnhealthyPool {
	var all []UnhealthyPool
	for name, t := range r.trials() {
		for _, s := range t.Samples {
			if h := s.Pool.Health; h != "" && h != "ONLINE" {
				all = append(all, UnhealthyPool{name, s.Workload, h})
			}
		}
	}
	return all
}
