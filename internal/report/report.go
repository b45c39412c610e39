// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"math"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/analysis/caveats"
	"zfsbench.io/operator/internal/analysis/compare"
	"zfsbench.io/operator/internal/analysis/threshold"
	"zfsbench.io/operator/internal/report/csv"
	"zfsbench.io/operator/internal/report/json"
	"zfsbench.io/operator/internal/report/markdown"
	"zfsbench.io/operator/internal/report/model"
)

// The keys of the documents in the results ConfigMap, and their file names elsewhere.
const (
	MarkdownKey     = model.MarkdownKey
	CSVKey          = model.CSVKey
	JSONKey         = model.JSONKey
	ComparableKey   = model.ComparableKey
	StorageClassKey = model.StorageClassKey
	ZpoolCreateKey  = model.ZpoolCreateKey
)

type (
	// Input is what a report is made from.
	Input = model.Input
	// Node is what one node contributes to it.
	Node = model.NodeResults
	// Report is results.json, decoded.
	Report = model.Report
	// Comparison is how a variant compares with its reference.
	Comparison = model.RateComparison
)

// Output is the report.
type Output struct {
	// Summary has only the measured columns: bandwidth, IOPS and latency, empty if nothing was measured.
	Summary v1alpha1.Summary
	// Results are at most MaxStatusResults: for each workload and operation the best variants among those that protect
	// the data equally.
	Results []v1alpha1.ResultStatus
	// OmittedResults is how many more results there are, in the documents only.
	OmittedResults int32
	// Warnings say which numbers may mislead, and why.
	Warnings []caveats.Warning
	// Thresholds sums up all thresholds; nil without any, and until the benchmark has finished.
	Thresholds *threshold.Verdict
	// Markdown, CSV (RFC 4180) and JSON are complete documents, of any size: see Chunks.
	Markdown, CSV, JSON []byte
	// Comparable is the document that another benchmark is compared with, of at most compare.MaxBytes.
	Comparable []byte
	// StorageClass and ZpoolCreate create the recommended variant in a cluster; empty without one.
	StorageClass, ZpoolCreate []byte
}

// Build makes the report. It fails if JSON cannot be written because a number is not finite, or if the margin is not a
// percentage.
func Build(in model.Input) (Output, error) {
	r, err := model.Of(in)
	if err != nil {
		return Output{}, fmt.Errorf("build report: %w", err)
	}
	document, err := json.Write(&r, json.MaxJSONBytes)
	if err != nil {
		return Output{}, fmt.Errorf("build report: %w", err)
	}
	table, err := csv.Write(&r)
	if err != nil {
		return Output{}, fmt.Errorf("build report: %w", err)
	}
	kept, err := compare.Encode(r.Own)
	if err != nil {
		return Output{}, fmt.Errorf("build report: %w", err)
	}
	var storageClass, zpoolCreate []byte
	if found := r.Recommendation; found != nil {
		storageClass, zpoolCreate = []byte(found.StorageClass), []byte(found.ZpoolCreate)
	}
	results, omitted := statusResults(&r)
	return Output{
		Summary:        summaryOf(&r),
		Results:        results,
		OmittedResults: int32(min(omitted, math.MaxInt32)),
		Warnings:       r.Warnings,
		Thresholds:     r.Verdict,
		Markdown:       markdown.Write(&r),
		CSV:            table,
		JSON:           document,
		Comparable:     kept,
		StorageClass:   storageClass,
		ZpoolCreate:    zpoolCreate,
	}, nil
}
