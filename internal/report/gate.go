// SPDX-License-Identifier: Apache-2.0

package report

import (
	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/analysis/caveats"
	"zfsbench.io/operator/internal/analysis/compare"
	"zfsbench.io/operator/internal/analysis/experiment"
	"zfsbench.io/operator/internal/analysis/threshold"
)

// gate is what the benchmark comes to beside others and beside its thresholds.
type gate struct {
	own        compare.Document
	with       []compare.With
	judgements []threshold.Judgement
	// verdict is nil without thresholds, and until the benchmark has finished.
	verdict *threshold.Verdict
}

// gateOf makes the benchmark's own document always, and the rest once the benchmark has finished.
func gateOf(in Input, warnings []caveats.Warning, margin float64) (gate, error) {
	measured := make([]compare.Measured, 0, len(in.Nodes))
	for _, n := range in.Nodes {
		measured = append(measured, compare.Measured{Node: experiment.Node{Plan: n.Plan, Trials: n.Trials}, Facts: n.Facts})
	}
	g := gate{own: compare.Of(&in.Benchmark, in.Phase, measured, warnings)}
	if !in.Finished {
		return g, nil
	}
	for _, other := range in.Others {
		with, err := g.own.Against(other, margin)
		if err != nil {
			return g, err
		}
		g.with = append(g.with, with)
	}
	if len(in.Benchmark.Spec.Thresholds) == 0 {
		return g, nil
	}
	var err error
	g.judgements, err = threshold.Judge(threshold.Input{Thresholds: in.Benchmark.Spec.Thresholds, Own: g.own, Nodes: measured, Others: in.Others})
	if err != nil {
		return g, err
	}
	verdict := threshold.VerdictOf(g.judgements, in.Phase == v1alpha1.PhaseFailed, JSONKey)
	g.verdict = &verdict
	return g, nil
}
