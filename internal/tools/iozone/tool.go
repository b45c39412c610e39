// SPDX-License-Identifier: Apache-2.0

package iozone

import (
	"strings"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/tools"
)

// Tool is iozone.
type Tool struct {
	tools.Defaults
	v1alpha1.IozoneWorkload
}

// Of returns the tool for a workload that uses it; nil for others.
func Of(w v1alpha1.Workload) tools.Tool {
	if w.Iozone == nil {
		return nil
	}
	return Tool{IozoneWorkload: *w.Iozone}
}

// Name is the tool's name in messages.
func (Tool) Name() string { return string(tool) }

// Probe asks for the version.
func (Tool) Probe() tools.Probe {
	return tools.Probe{
		Argv: []string{"iozone", "-v"}, Version: func(stdout, _ string) string { return Version(stdout) },
		Hint: "it is not free software; an image has it that is built from Dockerfile.runner with --build-arg IOZONE=true",
	}
}

// Start returns the command line.
func (t Tool) Start(on tools.Place) (tools.Start, error) {
	return tools.Start{Argv: Argv(t.IozoneWorkload, on.Directory), Limits: tools.Limits{Tasks: Tasks(t.IozoneWorkload)}},
		nil
}

// Read parses the output.
func (t Tool) Read(from tools.Output, _ bool) (result.Sample, []string, error) {
	s, err := Parse(strings.NewReader(from.Printed), t.IozoneWorkload)
	return s, from.Explaining(err), err
}
