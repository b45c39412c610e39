// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"

	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/runner/failure"
	"zfsbench.io/operator/internal/runner/preflight"
	"zfsbench.io/operator/internal/runner/target"
	"zfsbench.io/operator/internal/storage/zfs"
)

// checkBeforehand checks, before the first trial, everything that a trial will need, and publishes what it finds. It
// writes to no device.
func (e *Engine) checkBeforehand(ctx context.Context, node preflight.NodeState) error {
	checks := e.checks()
	found := checks.Run(ctx, node)
	e.host.ArrayTool = checks.ArrayTool
	err := e.scanDisks(ctx, &found)
	e.progress.announce(func(p *result.Progress) { p.Preflight = &found })
	if err != nil {
		return err
	}
	if stopped := stopCause(ctx); stopped != nil {
		return stopped
	}
	reason, err := preflight.Refusal(found)
	return failure.Wrap(reason, "pass the preflight", err)
}

// checks are the preflight's checks, with what they need from the engine.
func (e *Engine) checks() *preflight.Checks {
	return &preflight.Checks{
		Plan: e.plan, Expanded: e.expanded, Workspace: e.ws, Pools: e.Pools, Disks: e.Disks, Files: e.files(),
		Baselines: e.Baselines, Parameters: e.Parameters, Tools: e.Tools, Filesystem: e.Filesystem,
		Probe:  e.toolRunner().Probe,
		LayOut: e.poolToCreate, HasClaims: e.Claims != nil && e.PodVolumes != nil,
	}
}

// findNode finds OpenZFS and the node's facts, and puts them into the progress.
func (e *Engine) findNode(ctx context.Context) preflight.NodeState {
	node := preflight.FindNode(ctx, e.Pools, e.Node)
	if node.Facts != nil {
		e.host.Userland = node.Facts.OpenZFSUserland
		e.progress.update(func(p *result.Progress) { p.Node = node.Facts })
	}
	return node
}

func (e *Engine) poolToCreate(v plan.Variant, name string, paths map[string]string) (zfs.CreatePool, error) {
	return target.PoolToCreate(e.plan.Benchmark.UID, v, name, paths)
}
