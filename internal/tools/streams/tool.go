// SPDX-License-Identifier: Apache-2.0

package streams

import (
	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/tools"
	"zfsbench.io/operator/internal/tools/builtin"
)

// Tool is the runner's own, for sequential streams.
type Tool struct {
	builtin.Tool
	v1alpha1.StreamsWorkload
}

// Of returns the tool for a workload that uses it; nil for others.
func Of(w v1alpha1.Workload) tools.Tool {
	if w.Streams == nil {
		return nil
	}
	return Tool{builtin.Tool{Called: Subcommand, Workload: w.Name}, *w.Streams}
}

// NeedsLayout says whether the files are only read.
func (t Tool) NeedsLayout() bool { return NeedsLayout(t.StreamsWorkload) }

// Start runs the runner itself.
func (t Tool) Start(on tools.Place) (tools.Start, error) {
	most := Most(t.StreamsWorkload)
	return tools.Start{
		Argv: Argv(t.StreamsWorkload, t.Directory(on), on.Report(), on.Seed, on.Layout), Self: true,
		// Buffers of the count before may not be collected yet.
		Limits: tools.Limits{Tasks: most + builtin.Threads, DataBytes: 2 * int64(most) * t.BlockBytes()},
	}, nil
}
