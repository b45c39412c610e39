// SPDX-License-Identifier: Apache-2.0

package model

import (
	"cmp"
	"slices"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/analysis/compare"
	"zfsbench.io/operator/internal/analysis/experiment"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
)

// Input is everything that a report is made from. It is not changed.
type Input struct {
	// Benchmark is read for its name, spec, start and completion.
	Benchmark v1alpha1.ZfsBenchmark
	// Phase is the phase to print, for example Complete.
	Phase string
	// OperatorVersion is the version of the program that writes the report.
	OperatorVersion string
	Nodes           []NodeResults
	// Finished means that nothing more will be measured: thresholds are judged, and other benchmarks compared with.
	Finished bool
	// Others are the benchmarks in spec.comparison.with. They are used only once this benchmark has finished.
	Others []compare.Other
}

// NodeResults is one node's part. Of sets Disks, Repetitions, Converged and End; the rest is input.
type NodeResults struct {
	Name       string `json:"name"`
	PlanDigest string `json:"planDigest"`
	// Planned is how many trials the plan needs, according to its results so far: see experiment.EndOf.
	Planned int `json:"planned"`
	// Repetitions is how many repetitions the planned trials belong to.
	Repetitions int `json:"repetitions"`
	// Converged says whether every result is as certain as Stopping requests; nil without Stopping, and until the last
	// trial.
	Converged *bool `json:"converged,omitempty"`
	// Facts is nil until the node's runner has reported.
	Facts *result.NodeFacts `json:"facts,omitempty"`
	// Disks are the disks that were chosen for the classes of the spec.
	Disks []Disk `json:"disks,omitempty"`
	// Preflight is nil until the node's runner has made its checks.
	Preflight *result.Preflight `json:"preflight,omitempty"`
	// Failure is why the node ended without all of its results, apart from the failures of trials; nil otherwise.
	Failure *result.Failure `json:"failure,omitempty"`
	// Trials may be in any order in the input; a trial that appears twice counts once.
	Trials []result.Trial `json:"trials"`

	// DriverID is zfs-localpv's name of the node; empty if it is the node's name.
	DriverID string `json:"-"`
	// Plan is the node's plan. Without a plan, the report has no variants, intervals and verdicts.
	Plan plan.Plan `json:"-"`
	// End says after which repetition the plan ends.
	End experiment.End `json:"-"`
}

// ordered sorts nodes by name and trials by index, drops duplicate trials, and sets what follows from the trials. A
// trial belongs to the node that it came from, even if it names another one.
func ordered(in Input) Input {
	in.Nodes = append([]NodeResults{}, in.Nodes...)
	slices.SortStableFunc(in.Nodes, func(a, b NodeResults) int { return cmp.Compare(a.Name, b.Name) })
	for i := range in.Nodes {
		n := &in.Nodes[i]
		trials := append([]result.Trial{}, n.Trials...)
		slices.SortStableFunc(trials, func(a, b result.Trial) int { return cmp.Compare(a.Index, b.Index) })
		trials = slices.CompactFunc(trials, func(a, b result.Trial) bool { return a.Index == b.Index })
		for t := range trials {
			trials[t].Node = n.Name
		}
		n.Disks = disksOf(*n)
		n.Trials, n.End = trials, experiment.EndOf(n.Plan, trials)
		n.Repetitions = n.End.Repetitions
		if n.Plan.Stopping != nil && n.End.Decided {
			n.Converged = &n.End.Converged
		}
	}
	return in
}
