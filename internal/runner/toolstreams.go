// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/node/sandbox"
	"zfsbench.io/operator/internal/tools/streams"
)

// streamsTool is the runner's own, for sequential streams.
type streamsTool struct {
	builtinTool
	v1alpha1.StreamsWorkload
}

func newStreamsTool(workload string, w v1alpha1.StreamsWorkload) streamsTool {
	return streamsTool{builtinTool{streams.Subcommand, workload}, w}
}

func (t streamsTool) needsLayout() bool { return streams.NeedsLayout(t.StreamsWorkload) }

func (t streamsTool) start(on place) (start, error) {
	most := streams.Most(t.StreamsWorkload)
	return start{
		argv: streams.Argv(t.StreamsWorkload, t.directory(on), sandbox.OutputDir+"/"+reportName, on.seed, on.layout), self: true,
		// Buffers of the count before may not be collected yet.
		limits: sandbox.Limits{Tasks: most + threads, DataBytes: 2 * int64(most) * t.BlockBytes()},
	}, nil
}
