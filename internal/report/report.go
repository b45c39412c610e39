// SPDX-License-Identifier: Apache-2.0

// Package report turns the trials of a benchmark into what people and programs read: the status' summary and results, summary.md, results.csv and
// results.json. It is pure.
package report

import (
	"cmp"
	"fmt"
	"slices"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
)

// The keys of the documents in the results ConfigMap, and their file names elsewhere.
const (
	MarkdownKey = "summary.md"
	CSVKey      = "results.csv"
	JSONKey     = "results.json"
)

// MaxStatusResults is how many results the status holds. All of them are in the documents.
const MaxStatusResults = 64

// Input is all that a report is made from. Nothing in it is changed.
type Input struct {
	// Benchmark is read for its name, spec, start and completion.
	Benchmark v1alpha1.ZfsBenchmark
	// Phase is the phase to print, for example Complete.
	Phase string
	// OperatorVersion is the version of the program that writes the report.
	OperatorVersion string
	Nodes           []Node
}

// Node is one node's part.
type Node struct {
	Name string
	// PlanDigest identifies the plan that the node executed.
	PlanDigest string
	// Planned is how many trials the plan has.
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
	// Results are at most MaxStatusResults.
	Results []v1alpha1.ResultStatus
	// Markdown, CSV (RFC 4180) and JSON are complete documents, of any size: see Chunks.
	Markdown, CSV, JSON []byte
}

// Build makes the report. The error is one of writing JSON: a number that is not finite.
func Build(in Input) (Output, error) {
	in = ordered(in)
	all := measure(in)
	document, err := jsonDocument(in, all, MaxJSONBytes)
	if err != nil {
		return Output{}, fmt.Errorf("build report: %w", err)
	}
	table, err := csvDocument(in)
	if err != nil {
		return Output{}, fmt.Errorf("build report: %w", err)
	}
	return Output{
		Summary:  summarize(all),
		Results:  statusResults(all),
		Markdown: markdownDocument(in, all),
		CSV:      table,
		JSON:     document,
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
		in.Nodes[i].Trials = trials
	}
	return in
}
