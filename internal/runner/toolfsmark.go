// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"strings"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/node/sandbox"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/tools/fsmark"
)

// fsmarkTool is fs_mark.
type fsmarkTool struct{ v1alpha1.FsmarkWorkload }

func (fsmarkTool) name() string { return "fs_mark" }

// probe asks for help, which fs_mark ends with an error. Its version is only in what it prints of a run.
func (fsmarkTool) probe() probe {
	return probe{argv: []string{"fs_mark", "-h"}, fails: true, version: func(_, stderr string) string {
		if !strings.HasPrefix(stderr, "Usage: fs_mark") {
			return ""
		}
		return "fs_mark"
	}}
}

func (fsmarkTool) needsLayout() bool { return false }

func (t fsmarkTool) start(on place) (start, error) {
	return start{
		argv:   fsmark.Argv(t.FsmarkWorkload, on.directory, sandbox.OutputDir+"/"+fsmarkLogName),
		limits: sandbox.Limits{Tasks: fsmark.Tasks(t.FsmarkWorkload), DataBytes: fsmark.DataBytes(t.FsmarkWorkload)},
	}, nil
}

// fsmarkLogName begins the names of the files through which its threads tell their numbers.
const fsmarkLogName = "fsmark.log"

func (t fsmarkTool) read(from output, _ bool) (result.Sample, []string, error) {
	s, err := fsmark.Parse(strings.NewReader(from.printed), t.FsmarkWorkload)
	return s, saidIf(err, from), err
}

func (fsmarkTool) live() live { return silent{} }
