// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/node/sandbox"
	"zfsbench.io/operator/internal/tools/tree"
	"zfsbench.io/operator/internal/tools/treecopy"
)

const (
	// copyTasks are more than a tool that copies has processes.
	copyTasks = 16
	// listBytes is what a tool keeps in memory of each directory and file, at most maxListBytes in all; rsync has a list of those that it is at.
	listBytes    = 256
	maxListBytes = 8 << 30
)

// copyTool is a tool that copies, timed by the runner's own.
type copyTool struct {
	builtinTool
	v1alpha1.CopyWorkload
}

func newCopyTool(workload string, w v1alpha1.CopyWorkload) copyTool {
	return copyTool{builtinTool{string(w.Tool), workload}, w}
}

// probe asks the tool itself: that the runner can be run in the sandbox is known then as well.
func (t copyTool) probe() probe {
	return probe{argv: treecopy.VersionArgv(t.Tool), version: func(stdout, _ string) string { return treecopy.Version(t.Tool, stdout) }}
}

func (copyTool) needsLayout() bool { return true }

func (t copyTool) start(on place) (start, error) {
	report := sandbox.OutputDir + "/" + reportName
	argv := treecopy.Argv(t.CopyWorkload, t.directory(on), report)
	if on.layout {
		argv = treecopy.LayoutArgv(t.CopyWorkload, t.directory(on), report, on.seed)
	}
	lists := min(tree.ShapeOf(t.Source()).Inodes(), maxListBytes/listBytes) * listBytes
	return start{argv: argv, self: true, limits: sandbox.Limits{Tasks: threads + copyTasks, DataBytes: lists}}, nil
}
