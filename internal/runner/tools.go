// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"

	"zfsbench.io/operator/internal/runner/target"
	"zfsbench.io/operator/internal/runner/toolrun"
)

// toolRunner runs the tools of the plan.
func (e *Engine) toolRunner() toolrun.Runner {
	return toolrun.Runner{
		Tool: e.Tool, Images: e.Images, Corpora: e.Corpora, Workspace: e.ws, Plan: e.expanded, Digest: e.digest,
		PullPatience: e.timings.pullPatience, ImagePatience: e.timings.imagePatience, Deadline: e.timings.toolDeadline,
		Progress: e.showTrial, Now: e.Now, Log: e.Log,
	}
}

// toolTarget is the part of a trial's target that tools see.
func (e *Engine) toolTarget(t *target.Target) toolrun.Target {
	return toolrun.Target{
		Trial: t.Trial.Index, Device: t.Device, Children: e.host.Children(t),
		Check: func(ctx context.Context) error { return e.host.CheckHeld(ctx, t) },
	}
}
