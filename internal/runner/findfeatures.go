// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"errors"
	"fmt"

	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/text/human"
)

// findFeatures is nil where nothing is known.
func (h *host) findFeatures(ctx context.Context, t *target) (*result.Features, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, h.timings.inspectionDeadline,
		fmt.Errorf("it had not answered after %s", human.Duration(h.timings.inspectionDeadline)))
	defer cancel()
	on := h.storage(t)
	sync := func() error { return on.sync(ctx, t) }
	var found result.Features
	var problem error
	err := h.bounded(ctx, func() error {
		found, problem = h.Baselines.Features(h.ws.Target(), on.ownsFilesystem(), sync)
		return nil
	})
	if err == nil {
		problem = errors.Join(problem, on.addFeatures(ctx, t, &found))
	}
	if err == nil {
		// What was removed is not left to what takes the filesystem away, which is timed.
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
