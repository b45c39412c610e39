// SPDX-License-Identifier: Apache-2.0

package fsmark

import (
	"strings"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/tools"
)

// Tool is fs_mark.
type Tool struct {
	tools.Defaults
	v1alpha1.FsmarkWorkload
}

// Of returns the tool for a workload that uses it; nil for others.
func Of(w v1alpha1.Workload) tools.Tool {
	if w.Fsmark == nil {
		return nil
	}
	return Tool{FsmarkWorkload: *w.Fsmark}
}

// Name is the tool's name in messages.
func (Tool) Name() string { return string(tool) }

// Probe asks for help, which fs_mark ends with an error. It prints its version only when it runs a benchmark.
func (Tool) Probe() tools.Probe {
	return tools.Probe{Argv: []string{"fs_mark", "-h"}, Fails: true, Version: func(_, stderr string) string {
		if !strings.HasPrefix(stderr, "Usage: fs_mark") {
			return ""
		}
		return "fs_mark"
	}}
}

// logName is the prefix of the files through which its threads pass on their numbers.
const logName = "fsmark.log"

// Start returns the command line.
func (t Tool) Start(on tools.Place) (tools.Start, error) {
	return tools.Start{
		Argv:   Argv(t.FsmarkWorkload, on.Directory, on.Output+"/"+logName),
		Limits: tools.Limits{Tasks: Tasks(t.FsmarkWorkload), DataBytes: DataBytes(t.FsmarkWorkload)},
	}, nil
}

// Read parses the output.
func (t Tool) Read(from tools.Output, _ bool) (result.Sample, []string, error) {
	s, err := Parse(strings.NewReader(from.Printed), t.FsmarkWorkload)
	return s, from.Explaining(err), err
}
