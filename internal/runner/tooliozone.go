// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"strings"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/node/sandbox"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/tools/iozone"
)

// iozoneTool is iozone.
type iozoneTool struct{ v1alpha1.IozoneWorkload }

func (iozoneTool) name() string { return "iozone" }

func (iozoneTool) probe() probe {
	return probe{
		argv: []string{"iozone", "-v"}, version: func(stdout, _ string) string { return iozone.Version(stdout) },
		hint: "it is not free software; an image has it that is built from Dockerfile.runner with --build-arg IOZONE=true",
	}
}

func (iozoneTool) needsLayout() bool { return false }

func (t iozoneTool) start(on place) (start, error) {
	return start{argv: iozone.Argv(t.IozoneWorkload, on.directory), limits: sandbox.Limits{Tasks: iozone.Tasks(t.IozoneWorkload)}}, nil
}

func (t iozoneTool) read(from output, _ bool) (result.Sample, []string, error) {
	s, err := iozone.Parse(strings.NewReader(from.printed), t.IozoneWorkload)
	return s, saidIf(err, from), err
}

func (iozoneTool) live() live { return silent{} }

// saidIf is what a tool printed that says on standard output why it failed.
func saidIf(err error, from output) []string {
	if err == nil {
		return nil
	}
	return []string{tailOf(from.printed)}
}
