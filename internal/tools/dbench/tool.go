// SPDX-License-Identifier: Apache-2.0

package dbench

import (
	"strings"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/tools"
)

// Tool is dbench.
type Tool struct {
	tools.Defaults
	v1alpha1.DbenchWorkload
}

// Of returns the tool for a workload that uses it; nil for others.
func Of(w v1alpha1.Workload) tools.Tool {
	if w.Dbench == nil {
		return nil
	}
	return Tool{DbenchWorkload: *w.Dbench}
}

// Name is the tool's name in messages.
func (Tool) Name() string { return string(tool) }

// Probe asks for help, which begins with the version.
func (Tool) Probe() tools.Probe {
	return tools.Probe{Argv: []string{"dbench", "--help"}, Version: func(stdout, _ string) string {
		return Version(stdout)
	}}
}

// Start returns the command line.
func (t Tool) Start(on tools.Place) (tools.Start, error) {
	return tools.Start{Argv: Argv(t.DbenchWorkload, on.Directory), Limits: tools.Limits{Tasks: Tasks(t.DbenchWorkload)}},
		nil
}

// Read parses the output.
func (t Tool) Read(from tools.Output, _ bool) (result.Sample, []string, error) {
	s, err := Parse(strings.NewReader(from.Printed), t.DbenchWorkload)
	return s, from.Explaining(err), err
}

// Live reads the line that it prints each second.
func (t Tool) Live() tools.Live { return &StatusDecoder{Workload: t.DbenchWorkload} }
