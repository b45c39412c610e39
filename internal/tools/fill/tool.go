// SPDX-License-Identifier: Apache-2.0

package fill

import (
	"zfsbench.io/operator/internal/tools"
	"zfsbench.io/operator/internal/tools/builtin"
)

// bufferBytes is the program's memory for data: the largest record, with some reserve.
const bufferBytes = 64 << 20

// Tool is the runner's own tool for one round of filling a pool. It belongs to an operation on the pool, not to a
// workload.
type Tool struct {
	builtin.Tool
	Round
}

// ToolOf is the tool for a round of a workload.
func ToolOf(workload string, r Round) Tool {
	return Tool{builtin.Tool{Called: Subcommand, Workload: workload}, r}
}

// Start works on the files of all workloads that fill the pool.
func (t Tool) Start(on tools.Place) (tools.Start, error) {
	return tools.Start{
		Argv: Argv(t.Round, on.Directory+"/"+Directory, on.Report(), on.Seed), Self: true,
		Limits: tools.Limits{Tasks: builtin.Threads, DataBytes: bufferBytes},
	}, nil
}
