// SPDX-License-Identifier: Apache-2.0

package model

import (
	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/analysis/compare"
	"zfsbench.io/operator/internal/analysis/threshold"
)

// judge sets the data that other benchmarks compare this one with. Once the benchmark has finished, it also sets its
// own comparisons and thresholds.
func (r *Report) judge(in Input) error {
	measured := make([]compare.Measured, 0, len(in.Nodes))
	for _, n := range in.Nodes {
		measured = append(measured, compare.Measured{NodeTrials: n.experiment(), Facts: n.Facts})
	}
	r.Own = compare.Of(&in.Benchmark, in.Phase, measured, r.Warnings)
	if !in.Finished {
		return nil
	}
	for _, other := range in.Others {
		with, err := r.Own.Against(other, r.Margin)
		if err != nil {
			return err
		}
		r.ComparedWith = append(r.ComparedWith, with)
	}
	if len(r.Spec.Thresholds) == 0 {
		return nil
	}
	var err error
	r.Thresholds, err = threshold.Judge(threshold.Input{
		Thresholds: r.Spec.Thresholds, Own: r.Own, Nodes: measured, Others: in.Others,
	})
	if err != nil {
		return err
	}
	verdict := threshold.VerdictOf(r.Thresholds, in.Phase == v1alpha1.PhaseFailed, JSONKey)
	r.Verdict = &verdict
	return nil
}
