// SPDX-License-Identifier: Apache-2.0

package bonnie

import (
	"strings"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/tools"
)

// Tool is bonnie++.
type Tool struct {
	tools.Defaults
	v1alpha1.BonnieWorkload
}

// Of returns the tool for a workload that uses it; nil for others.
func Of(w v1alpha1.Workload) tools.Tool {
	if w.Bonnie == nil {
		return nil
	}
	return Tool{BonnieWorkload: *w.Bonnie}
}

// Name is the tool's name in messages.
func (Tool) Name() string { return string(tool) }

// Probe asks for help. bonnie++ calls that an error and prints its version.
func (Tool) Probe() tools.Probe {
	return tools.Probe{Argv: []string{"bonnie++", "-h"}, Fails: true, Version: func(_, stderr string) string {
		_, after, found := strings.Cut(stderr, "\nVersion: ")
		if !found {
			return ""
		}
		return "bonnie++-" + strings.TrimSpace(after)
	}}
}

// Start returns the command line.
func (t Tool) Start(on tools.Place) (tools.Start, error) {
	return tools.Start{Argv: Argv(t.BonnieWorkload, on.Directory, on.Seed), Limits: tools.Limits{Tasks: Tasks}}, nil
}

// Read reads the CSV that it prints.
func (Tool) Read(from tools.Output, _ bool) (result.Sample, []string, error) {
	s, err := Parse(strings.NewReader(from.Printed))
	return s, nil, err
}
