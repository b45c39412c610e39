// SPDX-License-Identifier: Apache-2.0

package report

import (
	"iter"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/analysis/bottleneck"
	"zfsbench.io/operator/internal/result"
)

// row is one operation of one workload in one attempt of a trial.
type row struct {
	benchmark Benchmark
	trial     result.Trial
	// closing says that it was the reference variant's second trial of the repetition.
	closing bool
	// attempt counts the attempts of the trial, from 1; excluded is why this one does not count.
	attempt  int
	excluded string
	sample   result.Sample
	// limit is what limited the sample, inodesCreated how many files and directories it made.
	limit         bottleneck.Limit
	inodesCreated int64
	// operation is empty for an excluded attempt of which no operation is known.
	operation v1alpha1.Operation
	measured  result.Operation
}

// rows are all operations of all trials. Those of excluded attempts come before those of their trial.
func (r *Report) rows() iter.Seq[row] {
	return func(yield func(row) bool) {
		for _, node := range r.Nodes {
			for _, t := range node.Trials {
				of := row{benchmark: r.Benchmark, trial: t, closing: node.isClosing(t)}
				if !of.excludedAttempts(yield) {
					return
				}
				of.attempt = len(t.Excluded) + 1
				for _, s := range t.Samples {
					if !of.operations(s, yield) {
						return
					}
				}
			}
		}
	}
}

// operations yields the row once for each operation of a sample.
func (r row) operations(s result.Sample, yield func(row) bool) bool {
	r.sample, r.limit, r.inodesCreated = s, bottleneck.Find(s), inodesCreated(s)
	for _, o := range s.Performed() {
		r.operation, r.measured = v1alpha1.Operation(o.Name), *o.Operation
		if !yield(r) {
			return false
		}
	}
	return true
}

// excludedAttempts yields what the excluded attempts had measured. One that had measured nothing, or only phases, which
// are not kept, has a row without an operation.
func (r row) excludedAttempts(yield func(row) bool) bool {
	for i, a := range r.trial.Excluded {
		r.attempt, r.excluded = i+1, a.Failure.Reason
		r.sample = result.Sample{Started: a.Started}
		if len(a.Bandwidths) == 0 && !yield(r) {
			return false
		}
		for _, b := range a.Bandwidths {
			r.sample.Workload, r.sample.Pass = b.Workload, b.Pass
			r.sample.Read, r.sample.Write = atBandwidth(b.ReadBytesPerSecond), atBandwidth(b.WriteBytesPerSecond)
			if len(r.sample.Performed()) == 0 && !yield(r) || !r.operations(r.sample, yield) {
				return false
			}
		}
	}
	return true
}

// atBandwidth is an operation of which only the bandwidth is known; nil for one that was not used.
func atBandwidth(bytesPerSecond int64) *result.Operation {
	if bytesPerSecond == 0 {
		return nil
	}
	return &result.Operation{BandwidthBytesPerSecond: float64(bytesPerSecond)}
}

// isClosing looks a trial up in the plan.
func (n Node) isClosing(t result.Trial) bool {
	return t.Index >= 0 && t.Index < len(n.Plan.Trials) && n.Plan.Trials[t.Index].Closing
}
