// SPDX-License-Identifier: Apache-2.0

package model

import (
	"iter"

	"zfsbench.io/operator/internal/result"
)

// TrialName names a trial for a reader.
type TrialName struct {
	Node       string
	Index      int
	Variant    string
	Repetition int
}

// trials are all trials of all nodes, in the order of nodes and trials.
func (r *Report) trials() iter.Seq2[TrialName, result.Trial] {
	return func(yield func(TrialName, result.Trial) bool) {
		for _, n := range r.Nodes {
			for _, t := range n.Trials {
				if !yield(TrialName{n.Name, t.Index, t.Variant, t.Repetition}, t) {
					return
				}
			}
		}
	}
}

// Counts are numbers of trials: how many are planned, and how the ended ones ended. Excluded counts attempts.
type Counts struct{ Planned, Complete, Failed, Excluded int }

// Ended is how many trials have ended.
func (c Counts) Ended() int { return c.Complete + c.Failed }

// Counts are the numbers of a node.
func (n NodeResults) Counts() Counts {
	c := Counts{Planned: n.Planned}
	for _, t := range n.Trials {
		c.Excluded += len(t.Excluded)
		if t.Failure != nil {
			c.Failed++
		} else {
			c.Complete++
		}
	}
	return c
}

// Counts are the numbers of all nodes together.
func (r *Report) Counts() Counts {
	var all Counts
	for _, n := range r.Nodes {
		c := n.Counts()
		all.Planned, all.Complete = all.Planned+c.Planned, all.Complete+c.Complete
		all.Failed, all.Excluded = all.Failed+c.Failed, all.Excluded+c.Excluded
	}
	return all
}

// IsIncomplete says whether fewer trials have ended than were planned on any node.
func (r *Report) IsIncomplete() bool {
	for _, n := range r.Nodes {
		if len(n.Trials) < n.Planned {
			return true
		}
	}
	return false
}
