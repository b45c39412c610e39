// SPDX-License-Identifier: Apache-2.0

package model

import (
	"iter"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/analysis/bottleneck"
	"zfsbench.io/operator/internal/result"
)

// Row is one operation of one workload in one attempt of a trial.
type Row struct {
	Benchmark Benchmark
	Trial     result.Trial
	// Closing says that it was the reference variant's second trial of the repetition.
	Closing bool
	// Attempt counts the attempts of the trial, from 1. Excluded is the reason if this attempt does not count.
	Attempt  int
	Excluded string
	Sample   result.Sample
	// Limit is what limited the sample, InodesCreated how many files and directories it made.
	Limit         bottleneck.Limit
	InodesCreated int64
	// Operation is empty for an excluded attempt of which no operation is known.
	Operation v1alpha1.Operation
	Measured  result.Operation
}

// Rows are all operations of all trials. Rows of excluded attempts come before the rows of their trial.
func (r *Report) Rows() iter.Seq[Row] {
	return func(yield func(Row) bool) {
		for _, node := range r.Nodes {
			for _, t := range node.Trials {
				of := Row{Benchmark: r.Benchmark, Trial: t, Closing: node.isClosing(t)}
				if !of.excludedAttempts(yield) {
					return
				}
				of.Attempt = len(t.Excluded) + 1
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
func (r Row) operations(s result.Sample, yield func(Row) bool) bool {
	r.Sample, r.Limit, r.InodesCreated = s, bottleneck.Find(s), inodesCreated(s)
	for _, o := range s.Operations() {
		r.Operation, r.Measured = v1alpha1.Operation(o.Name), *o.Operation
		if !yield(r) {
			return false
		}
	}
	return true
}

// excludedAttempts yields what the excluded attempts had measured. An attempt that had measured nothing, or only
// phases, which are not kept, has a row without an operation.
func (r Row) excludedAttempts(yield func(Row) bool) bool {
	for i, a := range r.Trial.Excluded {
		r.Attempt, r.Excluded = i+1, a.Failure.Reason
		r.Sample = result.Sample{Started: a.Started}
		if len(a.Bandwidths) == 0 && !yield(r) {
			return false
		}
		for _, b := range a.Bandwidths {
			r.Sample.Workload, r.Sample.Pass = b.Workload, b.Pass
			r.Sample.Read, r.Sample.Write = atBandwidth(b.ReadBytesPerSecond), atBandwidth(b.WriteBytesPerSecond)
			if len(r.Sample.Operations()) == 0 && !yield(r) || !r.operations(r.Sample, yield) {
				return false
			}
		}
	}
	return true
}

// atBandwidth is an operation of which only the bandwidth is known; nil if there was no such I/O.
func atBandwidth(bytesPerSecond int64) *result.Operation {
	if bytesPerSecond == 0 {
		return nil
	}
	return &result.Operation{BandwidthBytesPerSecond: float64(bytesPerSecond)}
}

// isClosing says whether a trial is the reference variant's second one in its repetition.
func (n NodeResults) isClosing(t result.Trial) bool {
	return t.Index >= 0 && t.Index < len(n.Plan.Trials) && n.Plan.Trials[t.Index].Closing
}
