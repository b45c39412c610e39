// SPDX-License-Identifier: Apache-2.0

package script

import (
	"strings"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/tools"
	"zfsbench.io/operator/internal/tools/builtin"
)

// LookCommand is the runner's hidden subcommand that finds a program in the sandbox.
const LookCommand = "sandbox-look"

// Tool is a program from a user's image. It has no directory for reports, because that would be on the node, without a
// bound on its size.
type Tool struct {
	tools.Defaults
	// Workload is the workload's name.
	Workload string
	v1alpha1.ScriptWorkload
}

// Of returns the tool for a workload that uses it; nil for others.
func Of(w v1alpha1.Workload) tools.Tool {
	if w.Script == nil {
		return nil
	}
	return Tool{Workload: w.Name, ScriptWorkload: *w.Script}
}

// Name is the tool's name in messages.
func (t Tool) Name() string { return "script " + t.Workload }

// Probe only looks for the program: starting it may do anything.
func (t Tool) Probe() tools.Probe {
	return tools.Probe{
		Argv: []string{builtin.Program, LookCommand, t.Command[0]}, Self: true, Image: t.Image,
		Version: func(stdout, _ string) string { return strings.TrimSpace(stdout) },
	}
}

// Start is the workload's command.
func (t Tool) Start(tools.Place) (tools.Start, error) {
	return tools.Start{Argv: t.Command, Image: t.Image, NoOutput: true,
		Limits: tools.Limits{Tasks: Tasks, DataBytes: DataBytes}}, nil
}

// Read reads the last line that it prints.
func (t Tool) Read(from tools.Output, _ bool) (result.Sample, []string, error) {
	s, err := Parse(from.Printed, t.ScriptWorkload)
	s.RuntimeNanoseconds = max(1, from.Took.Nanoseconds())
	return s, from.Explaining(err), err
}
