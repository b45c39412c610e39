// SPDX-License-Identifier: Apache-2.0

package target

import (
	"context"
	"errors"
	"fmt"

	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/text/human"
)

// FindFeatures finds out what the target's filesystem can do. It may return features and an error; nil means that
// nothing is known.
func (h *Host) FindFeatures(ctx context.Context, t *Target) (*result.Features, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, h.Timings.InspectionDeadline,
		fmt.Errorf("it had not answered after %s", human.Duration(h.Timings.InspectionDeadline)))
	defer cancel()
	on := h.Storage(t)
	sync := func() error { return on.Sync(ctx, t) }
	var found result.Features
	var problem error
	err := h.Bounded(ctx, func() error {
		found, problem = h.Baselines.Features(h.Workspace.Target(), on.ownsFilesystem(), sync)
		return nil
	})
	if err == nil {
		problem = errors.Join(problem, on.addFeatures(ctx, t, &found))
	}
	if err == nil {
		// Otherwise the destruction of the dataset, which is timed, would have to remove the test files, too.
		err = sync()
	}
	switch {
	case err != nil:
		return nil, err
	case found == (result.Features{}):
		return nil, problem
	default:
		return &found, problem
	}
}
