// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/tools"
	"zfsbench.io/operator/internal/tools/builtin"
)

// Tool is the runner's own, for trees of files.
type Tool struct {
	builtin.Tool
	v1alpha1.TreeWorkload
}

// Of returns the tool for a workload that uses it; nil for others.
func Of(w v1alpha1.Workload) tools.Tool {
	if w.Tree == nil {
		return nil
	}
	return Tool{builtin.Tool{Called: Subcommand, Workload: w.Name}, *w.Tree}
}

// NeedsLayout says whether the tree has to be made before anything is measured.
func (t Tool) NeedsLayout() bool { return NeedsLayout(t.TreeWorkload) }

// Start runs the runner itself.
func (t Tool) Start(on tools.Place) (tools.Start, error) {
	workers := Workers(t.TreeWorkload)
	return tools.Start{
		Argv: Argv(t.TreeWorkload, t.Directory(on), on.Report(), on.Seed, on.Layout), Self: true,
		Limits: tools.Limits{Tasks: workers + builtin.Threads, DataBytes: int64(workers) * 2 * BufferBytes},
	}, nil
}
