// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"errors"
	"strings"

	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/tools"
)

// Threads is more than the number of threads that the Go runtime has besides those that wait for the filesystem.
const Threads = 64

// Tool is what all of the runner's own tools have in common.
type Tool struct {
	tools.Defaults
	// Called is the tool's name, Workload the workload's.
	Called, Workload string
}

// Name is the tool's name in messages.
func (t Tool) Name() string { return t.Called }

// Probe asks the runner for its version.
func (t Tool) Probe() tools.Probe {
	return tools.Probe{Argv: []string{Program, "--version"}, Self: true, Version: func(stdout, _ string) string {
		words := strings.Fields(stdout)
		if len(words) == 0 {
			return ""
		}
		return t.Called + "-" + words[len(words)-1]
	}}
}

// Read fails if the layout did not finish: the workload would then measure something else.
func (t Tool) Read(from tools.Output, layout bool) (result.Sample, []string, error) {
	file, err := from.Open(t.Called)
	if err != nil {
		return result.Sample{}, nil, err
	}
	defer func() { _ = file.Close() }()
	s, err := Parse(t.Called, file)
	if err == nil && layout {
		for _, p := range s.Phases {
			if p.Ended != "" {
				err = errors.New("there is no space for all of the files")
			}
		}
		s = result.Sample{}
	}
	return s, nil, err
}

// Live parses the output with a StatusDecoder.
func (Tool) Live() tools.Live { return &StatusDecoder{} }

// Directory is the workload's own directory below its target.
func (t Tool) Directory(on tools.Place) string { return on.Directory + "/" + t.Workload }
