// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"strings"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/node/sandbox"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/tools/builtin"
	"zfsbench.io/operator/internal/tools/script"
)

// scriptTool is a program of somebody's image. It has no directory for reports: that is the node's, and nothing bounds it.
type scriptTool struct {
	workload string
	v1alpha1.ScriptWorkload
}

func (t scriptTool) name() string { return "script " + t.workload }

// probe only looks for the program: what it does when it is started, nobody knows.
func (t scriptTool) probe() probe {
	return probe{
		argv: []string{builtin.Program, sandbox.LookCommand, t.Command[0]}, self: true, image: t.Image,
		version: func(stdout, _ string) string { return strings.TrimSpace(stdout) },
	}
}

func (scriptTool) needsLayout() bool { return false }

func (t scriptTool) start(place) (start, error) {
	return start{argv: t.Command, image: t.Image, noOutput: true, limits: sandbox.Limits{Tasks: script.Tasks, DataBytes: script.DataBytes}}, nil
}

func (t scriptTool) read(from output, _ bool) (result.Sample, []string, error) {
	s, err := script.Parse(from.printed, t.ScriptWorkload)
	s.RuntimeNanoseconds = max(1, from.took.Nanoseconds())
	return s, saidIf(err, from), err
}

func (scriptTool) live() live { return silent{} }
