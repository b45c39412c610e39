// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"errors"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/runner/failure"
)

// recoverLeftovers tears down what an earlier runner has left. The journal's record comes first; the sink's record is
// used if the journal has none, for example because the scratch directory was lost. The trial that was interrupted has
// no result and is run again.
func (e *Engine) recoverLeftovers(ctx context.Context) error {
	own := e.journal.Owned()
	if own == nil {
		recorded, err := e.Sink.Ownership(ctx)
		if err != nil {
			return failure.Wrap(v1alpha1.ReasonRunnerFailed, "read what is recorded as owned", err)
		}
		own = recorded
	}
	if own == nil {
		return nil
	}
	e.Log.Info("removing what an earlier runner has left", "what", e.host.Describe(*own), "trial", own.TrialIndex)
	missing := e.missingDisks(e.markGone(ctx, own))
	return errors.Join(e.tearDown(ctx, *own),
		failure.Wrap(v1alpha1.ReasonCleanupFailed, "find all recorded disks", missing))
}
