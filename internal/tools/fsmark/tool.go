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

// Of is the tool of a workload of this package's; nil for others.
func Of(w v1alpha1.Workload) tools.Tool {
	if w.Fsmark == nil {
		return nil
	}
	return Tool{FsmarkWorkload: *w.Fsmark}
}

// Name is what messages call it.
func (Tool) Name() string { return string(tool) }

// Probe asks for help, which fs_mark ends with an error. Its version is only in what it prints of a run.
func (Tool) Probe() tools.Probe {
	return tools.Probe{Argv: []string{"fs_mark", "-h"}, Fails: true, Version: func(_, stderr string) string {
		if !strings.HasPrefix(stderr, "Usage: fs_mark") {
			return ""
		}
		return "fs_mark"
	}}
}

// logName begins the names of the files in which its threads pass on their numbers.
const logName = "fsmark.log"

// Start is its command line.
func (t Tool) Start(on tools.Place) (tools.Start, error) {
	return tools.Start{
		Argv:   Argv(t.FsmarkWorkload, on.Directory, on.Output+"/"+logName),
		Limits: tools.Limits{Tasks: Tasks(t.FsmarkWorkload), DataBytes: DataBytes(t.FsmarkWorkload)},
	}, nil
}

// Read reads what it prints.
func (t Tool) Read(from tools.Output, _ bool) (result.Sample, []string, error) {
	s, err := Parse(strings.NewReader(from.Printed), t.FsmarkWorkload)
	return s, from.Explaining(err), err
}
