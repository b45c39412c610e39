// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/tools/toolreport"
)

// Program stands for the runner itself in an argument vector.
const Program = "runner"

// maxReportBytes bounds a report.
const maxReportBytes = 4 << 20

// Report is what a tool has measured.
type Report struct {
	// Version is the runner's own.
	Version string `json:"version"`
	// Measured is the external tool that was measured, with its version, for example rsync-3.4.1; empty if the runner did
	// everything itself.
	Measured string         `json:"measured,omitempty"`
	Phases   []result.Phase `json:"phases"`
	// Data describes data that was copied from outside; nil for data that the tool has made.
	Data *result.Data `json:"data,omitempty"`
	// Failure is why the tool gave up; empty if it finished.
	Failure string `json:"failure,omitempty"`
}

// Parse reads the report of the tool with this name into the tool's part of a sample. The error is a
// *toolreport.MissingError, a *toolreport.FormatError, or the failure that the tool reported.
func Parse(tool string, r io.Reader) (result.Sample, error) {
	var report Report
	decoder := json.NewDecoder(io.LimitReader(r, maxReportBytes))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&report); err != nil {
		if errors.Is(err, io.EOF) {
			return result.Sample{}, toolreport.Tool(tool).Missing()
		}
		return result.Sample{}, toolreport.Tool(tool).Malformed(err)
	}
	if report.Failure != "" {
		return result.Sample{}, fmt.Errorf("%s: %s", tool, report.Failure)
	}
	s := result.Sample{Tool: tool, ToolVersion: report.Measured, Phases: report.Phases, Data: report.Data}
	if s.ToolVersion == "" {
		s.ToolVersion = tool + "-" + report.Version
	}
	for _, p := range report.Phases {
		s.RuntimeNanoseconds += p.RuntimeNanoseconds
	}
	return s, nil
}
