// SPDX-License-Identifier: Apache-2.0

package model

import (
	"fmt"
	"slices"

	"zfsbench.io/operator/internal/result"
)

// Target describes what a variant's workloads ran on, as it was after the last measured workload.
type Target struct {
	Variant string
	// After is the name of that workload. If no workload has been measured, it is empty, like everything else.
	After string
	// Pool is nil without a pool; Baseline without a baseline and without another filesystem on a volume; Claim without
	// a claimed volume.
	Pool     *result.PoolFacts
	Baseline *result.BaselineFacts
	Claim    *result.ClaimFacts
}

// Targets returns one for each variant that the node ran, in the order of their first trials.
func (n NodeResults) Targets() []Target {
	var all []Target
	places := map[string]int{}
	for _, t := range n.Trials {
		if _, known := places[t.Variant]; !known {
			places[t.Variant] = len(all)
			all = append(all, Target{Variant: t.Variant})
		}
		if len(t.Samples) == 0 {
			continue
		}
		last := t.Samples[len(t.Samples)-1]
		target := Target{Variant: t.Variant, After: last.Workload, Baseline: last.Baseline, Claim: t.Claim}
		if last.OnPool() {
			target.Pool = &last.Pool
		}
		all[places[t.Variant]] = target
	}
	return all
}

// NotDiscarded are the disks that do not support discard, as "d0 of storage-0", sorted.
func (r *Report) NotDiscarded() []string {
	var all []string
	for name, t := range r.trials() {
		for _, d := range t.PreparedDisks {
			if !d.Discarded {
				all = append(all, fmt.Sprintf("%s of %s", d.Name, name.Node))
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Command is the exact command of a workload: see result.Sample.
type Command struct {
	Workload, ToolVersion string
	Argv                  []string
	JobFile               string
}

// Commands are from the first sample of each workload, in the order of the spec.
func (r *Report) Commands() []Command {
	var all []Command
	seen := map[string]bool{}
	for _, t := range r.trials() {
		for _, s := range t.Samples {
			if !seen[s.Workload] {
				seen[s.Workload] = true
				all = append(all, Command{s.Workload, s.ToolVersion, s.Argv, s.JobFile})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Command) int {
		return Position(r.Spec, a.Workload) - Position(r.Spec, b.Workload)
	})
	return all
}
