// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"zfsbench.io/operator/internal/result"
)

// maxReportBytes bounds a report.
const maxReportBytes = 4 << 20

// Report is what the program has measured.
type Report struct {
	// Version is the program's own.
	Version string         `json:"version"`
	Phases  []result.Phase `json:"phases"`
	// Failure is why it gave up; empty if it came to its end.
	Failure string `json:"failure,omitempty"`
}

// ErrNoReport says that the program did not get as far as writing a report; its standard error says why.
var ErrNoReport = errors.New("the tree workload wrote no report")

// FormatError says that a report cannot be read.
type FormatError struct{ Err error }

func (e *FormatError) Error() string { return fmt.Sprintf("report of the tree workload: %v", e.Err) }

// Unwrap returns the cause.
func (e *FormatError) Unwrap() error { return e.Err }

// Parse reads a report into the part of a sample that it has. The error is a *FormatError, or what the program says of its failure.
func Parse(r io.Reader) (result.Sample, error) {
	var report Report
	decoder := json.NewDecoder(io.LimitReader(r, maxReportBytes))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&report); err != nil {
		if errors.Is(err, io.EOF) {
			return result.Sample{}, ErrNoReport
		}
		return result.Sample{}, &FormatError{err}
	}
	if report.Failure != "" {
		return result.Sample{}, fmt.Errorf("tree: %s", report.Failure)
	}
	s := result.Sample{Tool: "tree", ToolVersion: "tree-" + report.Version, Phases: report.Phases}
	for _, p := range report.Phases {
		s.RuntimeNanoseconds += p.RuntimeNanoseconds
	}
	return s, nil
}
