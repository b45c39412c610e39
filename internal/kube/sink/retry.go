// SPDX-License-Identifier: Apache-2.0

package sink

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"
)

const (
	// requestTimeout limits one request: a connection that hangs must leave time for retries.
	requestTimeout = 10 * time.Second
	firstPause     = 250 * time.Millisecond
	longestPause   = 15 * time.Second
)

// retry repeats an operation until it succeeds, fails for good, or the context ends. In the last case the error
// contains both the API's last error and the context's.
func (k *Kubernetes) retry(ctx context.Context, operation string, do func(context.Context) error) error {
	pauses := wait.Backoff{Duration: firstPause, Factor: 2, Jitter: 0.5, Steps: 64, Cap: longestPause}
	var last error
	err := pauses.DelayFunc().Until(ctx, true, true, func(ctx context.Context) (bool, error) {
		attempt, cancel := context.WithTimeout(ctx, requestTimeout)
		defer cancel()
		err := do(attempt)
		switch {
		case err == nil:
			return true, nil
		case final(err):
			return false, err
		case ctx.Err() != nil: // keep the API's last error, which says more than the context's
			return false, nil
		case last == nil:
			k.Log.Warn("the Kubernetes API does not answer as expected, trying again", "operation", operation, "error", err)
		}
		last = err
		return false, nil
	})
	if err == nil {
		if last != nil {
			k.Log.Info("the Kubernetes API answers again", "operation", operation)
		}
		return nil
	}
	if last != nil && wait.Interrupted(err) {
		return fmt.Errorf("%s: %w (%w)", operation, last, err)
	}
	return fmt.Errorf("%s: %w", operation, err)
}

// final says that a retry cannot help. Forbidden is not final: the runner may just have started before its role was in
// effect.
func final(err error) bool {
	return apierrors.IsNotFound(err) || apierrors.IsBadRequest(err) || apierrors.IsInvalid(err) ||
		apierrors.IsRequestEntityTooLargeError(err)
}
