// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"zfsbench.io/operator/internal/tools/builtin"
)

// leaveReport writes the report of one of the runner's own tools: what it has measured, or why it failed.
func leaveReport(path string, report builtin.Report, failure error) error {
	report.Version = version
	if failure != nil {
		report.Failure = failure.Error()
	}
	text, err := json.Marshal(report)
	if err != nil {
		return fmt.Errorf("encode the report: %w", err)
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

// require marks flags of a command as required.
func require(cmd *cobra.Command, flags ...string) {
	for _, name := range flags {
		if err := cmd.MarkFlagRequired(name); err != nil {
			panic(err) // a flag that the caller did not define
		}
	}
}
