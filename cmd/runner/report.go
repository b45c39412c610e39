// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/analysis/compare"
	"zfsbench.io/operator/internal/analysis/experiment"
	"zfsbench.io/operator/internal/kube/sink"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/report"
	"zfsbench.io/operator/internal/result"
)

// writeReport writes the same documents that the operator puts into the results ConfigMap, and prints the summary.
func writeReport(
	b *v1alpha1.ZfsBenchmark, p plan.Plan, out *sink.Directory, progress result.Progress, summary io.Writer,
) error {
	built, err := report.Build(reportInput(b, p, out.Trials(), progress))
	if err != nil {
		return err
	}
	err = errors.Join(
		out.WriteFile(report.MarkdownKey, string(built.Markdown)),
		out.WriteFile(report.CSVKey, string(built.CSV)),
		out.WriteFile(report.JSONKey, string(built.JSON)),
		out.WriteFile(report.ComparableKey, string(built.Comparable)),
	)
	if len(built.StorageClass) > 0 {
		err = errors.Join(err, out.WriteFile(report.StorageClassKey, string(built.StorageClass)))
	}
	if len(built.ZpoolCreate) > 0 {
		err = errors.Join(err, out.WriteFile(report.ZpoolCreateKey, string(built.ZpoolCreate)))
	}
	if err != nil {
		return err
	}
	if _, err := summary.Write(built.Markdown); err != nil {
		return fmt.Errorf("print the summary: %w", err)
	}
	return nil
}

func reportInput(b *v1alpha1.ZfsBenchmark, p plan.Plan, trials []result.Trial, progress result.Progress) report.Input {
	finished := b.DeepCopy()
	finished.UID = types.UID(p.Benchmark.UID)
	finished.Status.StartTime = &metav1.Time{Time: progress.Started}
	finished.Status.CompletionTime = &metav1.Time{Time: progress.Updated}
	end := experiment.EndOf(p, trials)
	planned := len(end.Wanted(p))
	node := report.Node{
		Name: p.Node.Name, Plan: p, PlanDigest: progress.PlanDigest, Planned: planned, Facts: progress.Node,
		Preflight: progress.Preflight, Trials: end.Counted(trials),
	}
	if progress.Completed+progress.Failed < planned {
		// Otherwise a trial failed, and its result says so.
		node.Failure = progress.Failure
	}
	in := report.Input{
		Benchmark:       *finished,
		Phase:           progress.State,
		OperatorVersion: version,
		Nodes:           []report.Node{node},
		Finished:        true,
	}
	if c := b.Spec.Comparison; c != nil {
		for _, w := range c.With {
			in.Others = append(in.Others, compare.Other{Name: w.Name(),
				Problem: "Other benchmarks exist only in Kubernetes, and this one ran without it."})
		}
	}
	return in
}
