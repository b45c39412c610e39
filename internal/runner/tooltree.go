// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/node/sandbox"
	"zfsbench.io/operator/internal/tools/tree"
)

// treeTool is the runner's own, for trees of files.
type treeTool struct {
	builtinTool
	v1alpha1.TreeWorkload
}

func newTreeTool(workload string, w v1alpha1.TreeWorkload) treeTool {
	return treeTool{builtinTool{tree.Subcommand, workload}, w}
}

func (t treeTool) needsLayout() bool { return tree.NeedsLayout(t.TreeWorkload) }

func (t treeTool) start(on place) (start, error) {
	workers := tree.Workers(t.TreeWorkload)
	return start{
		argv: tree.Argv(t.TreeWorkload, t.directory(on), sandbox.OutputDir+"/"+reportName, on.seed, on.layout), self: true,
		limits: sandbox.Limits{Tasks: workers + threads, DataBytes: int64(workers) * 2 * tree.BufferBytes},
	}, nil
}
