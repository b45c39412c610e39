// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"zfsbench.io/operator/internal/node/sandbox"
	"zfsbench.io/operator/internal/tools/fill"
)

// fillBufferBytes is the largest record, and some more: what the program that fills a pool has in memory.
const fillBufferBytes = 64 << 20

// fillTool is the runner's own, for one round of filling a pool.
type fillTool struct {
	builtinTool
	fill.Round
}

func newFillTool(workload string, round fill.Round) fillTool {
	return fillTool{builtinTool{fill.Subcommand, workload}, round}
}

func (fillTool) needsLayout() bool { return false }

// start works on the files of all workloads that fill the pool.
func (t fillTool) start(on place) (start, error) {
	return start{
		argv: fill.Argv(t.Round, on.directory+"/"+fill.Directory, sandbox.OutputDir+"/"+reportName, on.seed), self: true,
		limits: sandbox.Limits{Tasks: threads, DataBytes: fillBufferBytes},
	}, nil
}
