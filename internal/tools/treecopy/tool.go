// SPDX-License-Identifier: Apache-2.0

package treecopy

import (
	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/tools"
	"zfsbench.io/operator/internal/tools/builtin"
	"zfsbench.io/operator/internal/tools/tree"
)

const (
	// tasks are more than a tool that copies has processes.
	tasks = 16
	// listBytes is what a tool keeps in memory of each directory and file, at most maxListBytes in all; rsync has a list
	// of those that it is at.
	listBytes    = 256
	maxListBytes = 8 << 30
)

// Tool is a program that copies, run and timed by the runner's own.
type Tool struct {
	builtin.Tool
	v1alpha1.CopyWorkload
}

// Of returns the tool for a workload that uses it; nil for others.
func Of(w v1alpha1.Workload) tools.Tool {
	if w.Copy == nil {
		return nil
	}
	return Tool{builtin.Tool{Called: string(w.Copy.Tool), Workload: w.Name}, *w.Copy}
}

// Probe runs the tool itself through the runner, so it also shows that the runner can be run in the sandbox.
func (t Tool) Probe() tools.Probe {
	copies := t.CopyWorkload.Tool
	return tools.Probe{Argv: VersionArgv(copies), Version: func(stdout, _ string) string {
		return Version(copies, stdout)
	}}
}

// NeedsLayout is true: the source has to exist.
func (Tool) NeedsLayout() bool { return true }

// Start runs the runner itself.
func (t Tool) Start(on tools.Place) (tools.Start, error) {
	argv := Argv(t.CopyWorkload, t.Directory(on), on.Report())
	if on.Layout {
		argv = LayoutArgv(t.CopyWorkload, t.Directory(on), on.Report(), on.Seed)
	}
	lists := min(tree.ShapeOf(t.Source()).Inodes(), maxListBytes/listBytes) * listBytes
	return tools.Start{Argv: argv, Self: true, Limits: tools.Limits{Tasks: builtin.Threads + tasks, DataBytes: lists}}, nil
}
