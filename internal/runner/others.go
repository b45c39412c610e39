// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/runner/failure"
	"zfsbench.io/operator/internal/runner/journal"
	"zfsbench.io/operator/internal/runner/workspace"
)

// clearOthers removes what other benchmarks have left on the node, according to their journals in the scratch
// directory. Usually the manager gives a node to the next benchmark only when it is clean. But leftovers remain if a
// node was given up, or if the objects are lost, for example because etcd was restored from an older state. A journal
// that owns nothing may belong to a suspended benchmark, and stays. If something cannot be read or removed, this
// benchmark ends before it touches anything.
func (e *Engine) clearOthers(ctx context.Context) error {
	if !e.OwnsNode || e.plan.DryRun {
		return nil
	}
	others, err := e.ws.Others()
	if err != nil {
		return failure.Wrap(v1alpha1.ReasonPreflightFailed, "look for what other benchmarks left on the node", err)
	}
	for _, other := range others {
		if err := e.clearOther(ctx, other); err != nil {
			// Keep only the text: the error's reason belongs to another benchmark's teardown.
			text := errors.New(err.Error() + ". See what is left (`zpool import`, `lsblk`), remove it by hand, then " +
				other.Root())
			doing := fmt.Sprintf("remove what benchmark %s left on the node", other.UID)
			return failure.Wrap(v1alpha1.ReasonPreflightFailed, doing, text)
		}
	}
	return nil
}

// clearOther removes what another benchmark owns, and then its directory. Disks that are no longer that benchmark's are
// left alone.
func (e *Engine) clearOther(ctx context.Context, ws workspace.Workspace) error {
	j, err := journal.Read(ws.Journal())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("its %w", err)
	}
	own := j.Owned()
	if own == nil {
		return nil
	}
	e.Log.Info("removing what another benchmark has left", "what", e.host.Describe(*own), "benchmark", ws.UID)
	other := e.actingFor(ws, j)
	if missing := other.markGone(ctx, own); len(missing) > 0 {
		return e.keepRecord(other, *own, missing)
	}
	if err := other.tearDown(ctx, withoutClaim(*own)); err != nil {
		return err
	}
	e.recordGoneOf(ws.UID, *own)
	return ws.Remove()
}

// actingFor is an engine that tears down for another benchmark. It knows only that benchmark's journal, and reports
// nothing: the benchmark may no longer exist in the API.
func (e *Engine) actingFor(ws workspace.Workspace, j *journal.Journal) *Engine {
	other := *e
	other.plan = plan.Plan{
		Version: e.plan.Version, Node: e.plan.Node, Scratch: e.plan.Scratch, Benchmark: plan.Benchmark{UID: ws.UID},
	}
	other.ws, other.journal, other.Sink = ws, j, silentSink{e.Sink}
	other.kept, other.recorded = nil, false
	other.host = other.newHost()
	return &other
}

// withoutClaim leaves out the claim, even if its volume has to stay. The manager or its sweep removes what is in
// Kubernetes, and a volume of somebody else's class only if the record in the API says that it was found empty.
// A recorded volume of the driver is destroyed with the pool, and the driver then considers it removed. The pool stays
// if a volume in it is not recorded, or if a pod has one mounted.
func withoutClaim(own result.Ownership) result.Ownership {
	own.Claim = nil
	return own
}

// silentSink ignores ownership records.
type silentSink struct{ Sink }

func (silentSink) PutOwnership(context.Context, result.Ownership) error { return nil }

func (silentSink) ClearOwnership(context.Context) error { return nil }
