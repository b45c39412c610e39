// SPDX-License-Identifier: Apache-2.0

package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/analysis/caveats"
	"zfsbench.io/operator/internal/analysis/compare"
	"zfsbench.io/operator/internal/analysis/threshold"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
)

// The keys of the documents in the results ConfigMap, and their file names elsewhere.
const (
	MarkdownKey   = "summary.md"
	CSVKey        = "results.csv"
	JSONKey       = "results.json"
	ComparableKey = "comparable.json"
	// StorageClassKey and ZpoolCreateKey are there if a variant is recommended.
	StorageClassKey = "storageclass.yaml"
	ZpoolCreateKey  = "zpool-create.txt"
)

// Input is all that a report is made from. Nothing in it is changed.
type Input struct {
	// Benchmark is read for its name, spec, start and completion.
	Benchmark v1alpha1.ZfsBenchmark
	// Phase is the phase to print, for example Complete.
	Phase string
	// OperatorVersion is the version of the program that writes the report.
	OperatorVersion string
	Nodes           []Node
	// Finished means that nothing more will be measured: thresholds are judged, and other benchmarks compared with.
	Finished bool
	// Others are those of spec.comparison.with; they are read only of a benchmark that has finished.
	Others []compare.Other
}

// Node is one node's part.
type Node struct {
	Name string
	// DriverID is what zfs-localpv calls the node; empty for its name.
	DriverID string
	// Plan is what the node executes. Without it, as before there is one, nothing is said of variants, intervals and verdicts.
	Plan plan.Plan
	// PlanDigest identifies the plan.
	PlanDigest string
	// Planned is how many trials the plan needs, as far as its results tell: see experiment.EndOf.
	Planned int
	// Facts is nil until the node's runner has reported.
	Facts *result.NodeFacts
	// Preflight is nil until the node's runner has made its checks.
	Preflight *result.Preflight
	// Failure is why the node ended without all of its results, apart from the failures of trials; nil otherwise.
	Failure *result.Failure
	// Trials may be in any order; a trial that appears twice counts once.
	Trials []result.Trial
}

// Output is the report.
type Output struct {
	// Summary has the measured columns only: bandwidth, IOPS and latency, empty where nothing was measured.
	Summary v1alpha1.Summary
	// Results are at most MaxStatusResults: of each workload and operation the best, among variants that protect the data equally.
	Results []v1alpha1.ResultStatus
	// OmittedResults is how many more results there are, in the documents only.
	OmittedResults int32
	// Warnings say which numbers may mislead, and why.
	Warnings []caveats.Warning
	// Thresholds is what all thresholds come to; nil without any, and until the benchmark has finished.
	Thresholds *threshold.Verdict
	// Markdown, CSV (RFC 4180) and JSON are complete documents, of any size: see Chunks.
	Markdown, CSV, JSON []byte
	// Comparable is what another benchmark is compared with, of at most compare.MaxBytes.
	Comparable []byte
	// StorageClass and ZpoolCreate make the recommended variant in a cluster; empty without one.
	StorageClass, ZpoolCreate []byte
}

// Build makes the report. The error is one of writing JSON, a number that is not finite, or of a margin that is no percentage.
func Build(in Input) (Output, error) {
	in = ordered(in)
	f, err := figuresOf(in)
	if err != nil {
		return Output{}, fmt.Errorf("build report: %w", err)
	}
	document, err := jsonDocument(in, f, MaxJSONBytes)
	if err != nil {
		return Output{}, fmt.Errorf("build report: %w", err)
	}
	table, err := csvDocument(in)
	if err != nil {
		return Output{}, fmt.Errorf("build report: %w", err)
	}
	kept, err := compare.Encode(f.own)
	if err != nil {
		return Output{}, fmt.Errorf("build report: %w", err)
	}
	var storageClass, zpoolCreate []byte
	if r := f.recommendation; r != nil {
		storageClass, zpoolCreate = []byte(r.storageClass), []byte(r.zpoolCreate)
	}
	results, omitted := statusResults(f.sections(), len(in.Nodes), in.Finished)
	return Output{
		Summary:        summaryOf(in, f.measurements),
		Results:        results,
		OmittedResults: int32(min(omitted, math.MaxInt32)),
		Warnings:       f.warnings,
		Thresholds:     f.verdict,
		Markdown:       markdownDocument(in, f),
		CSV:            table,
		JSON:           document,
		Comparable:     kept,
		StorageClass:   storageClass,
		ZpoolCreate:    zpoolCreate,
	}, nil
}

// ordered sorts nodes by name and trials by index, and drops trials that come twice. A trial belongs to the node that it came from, whatever it says.
func ordered(in Input) Input {
	in.Nodes = slices.Clone(in.Nodes)
	slices.SortStableFunc(in.Nodes, func(a, b Node) int { return cmp.Compare(a.Name, b.Name) })
	for i := range in.Nodes {
		trials := slices.Clone(in.Nodes[i].Trials)
		slices.SortStableFunc(trials, func(a, b result.Trial) int { return cmp.Compare(a.Index, b.Index) })
		trials = slices.CompactFunc(trials, func(a, b result.Trial) bool { return a.Index == b.Index })
		for t := range trials {
			trials[t].Node = in.Nodes[i].Name
		}
		in.Nodes[i].Trials, in.Nodes[i].Plan.Node.Name = trials, in.Nodes[i].Name
	}
	return in
}
