// SPDX-License-Identifier: Apache-2.0

package model

import (
	"slices"

	"zfsbench.io/operator/internal/result"
)

// PhaseProblem is what can be wrong with a phase.
type PhaseProblem int

// A phase can be too fast to be measured, or end before all its work is done.
const (
	PhaseTooFast PhaseProblem = iota + 1
	PhaseOutOfTime
	PhaseOutOfSpace
)

// PhaseNote says in how many trials a phase had a problem, and of which variants.
type PhaseNote struct {
	Workload, Phase string
	Problem         PhaseProblem
	Trials          int
	Variants        []string
}

// PhaseNotes are in the order in which the problems were found. Confirming repetitions are left out.
func (r *Report) PhaseNotes() []PhaseNote {
	var all []PhaseNote
	for _, n := range r.Nodes {
		for _, t := range n.Searched() {
			for _, s := range t.Samples {
				for _, p := range s.Phases {
					if problem := problemOf(p); problem != 0 {
						all = noted(all, PhaseNote{Workload: s.Workload, Phase: p.Name, Problem: problem}, t.Variant)
					}
				}
			}
		}
	}
	return all
}

// noted counts one more trial of a variant.
func noted(all []PhaseNote, note PhaseNote, variant string) []PhaseNote {
	i := slices.IndexFunc(all, func(n PhaseNote) bool {
		return n.Workload == note.Workload && n.Phase == note.Phase && n.Problem == note.Problem
	})
	if i < 0 {
		i, all = len(all), append(all, note)
	}
	all[i].Trials++
	if !slices.Contains(all[i].Variants, variant) {
		all[i].Variants = append(all[i].Variants, variant)
	}
	return all
}

// problemOf is 0 for a phase without a problem.
func problemOf(p result.Phase) PhaseProblem {
	switch {
	case p.TooFast:
		return PhaseTooFast
	case p.Ended == result.EndedByTime:
		return PhaseOutOfTime
	case p.Ended == result.EndedByNoSpace:
		return PhaseOutOfSpace
	}
	return 0
}
