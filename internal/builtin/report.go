// SPDX-License-Identifier: Apache-2.0

// Package builtin has what the runner's own measuring tools have in common: they are hidden subcommands of the runner that it starts in the sandbox, say how far they are on standard output,
// and leave a report. It is pure.
package builtin

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"zfsbench.io/operator/internal/result"
)

// Program is what stands for the runner itself in an argument vector.
const Program = "runner"

// maxReportBytes bounds a report.
const maxReportBytes = 4 << 20

// Report is what a tool has measured.
type Report struct {
	// Version is the runner's own.
	Version string `json:"version"`
	// Measured is the tool, with its version, that was measured from outside, for example rsync-3.4.1; empty for one that is all the runner's.
	Measured string         `json:"measured,omitempty"`
	Phases   []result.Phase `json:"phases"`
	// Failure is why it gave up; empty if it came to its end.
	Failure string `json:"failure,omitempty"`
}

// ErrNoReport says that a tool did not get as far as writing a report; its standard error says why.
var ErrNoReport = errors.New("the runner's own tool wrote no report")

// FormatError says that a report cannot be read.
type FormatError struct {
	Tool string
	Err  error
}

func (e *FormatError) Error() string { return fmt.Sprintf("report of %s: %v", e.Tool, e.Err) }

// Unwrap returns the cause.
func (e *FormatError) Unwrap() error { return e.Err }

// Parse reads the report of a tool, by its name, into the part of a sample that it has. The error is ErrNoReport, a *FormatError, or what the tool says of its failure.
func Parse(tool string, r io.Reader) (result.Sample, error) {
	var report Report
	decoder := json.NewDecoder(io.LimitReader(r, maxReportBytes))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&report); err != nil {
		if errors.Is(err, io.EOF) {
			return result.Sample{}, ErrNoReport
		}
		return result.Sample{}, &FormatError{tool, err}
	}
	if report.Failure != "" {
		return result.Sample{}, fmt.Errorf("%s: %s", tool, report.Failure)
	}
	s := result.Sample{Tool: tool, ToolVersion: report.Measured, Phases: report.Phases}
	if s.ToolVersion == "" {
		s.ToolVersion = tool + "-" + report.Version
	}
	for _, p := range report.Phases {
		s.RuntimeNanoseconds += p.RuntimeNanoseconds
	}
	return s, nil
}
