// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"errors"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/node/sandbox"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/runner/failure"
	"zfsbench.io/operator/internal/runner/target"
	"zfsbench.io/operator/internal/storage/blockdev"
	"zfsbench.io/operator/internal/storage/zfs"
	"zfsbench.io/operator/internal/text/human"
)

var (
	// ErrInterrupted is the cause of a context that ended because the process has to stop, for example by SIGTERM.
	ErrInterrupted = errors.New("the runner was told to stop")
	// errTimedOut is the cause of a context that ended because the plan's running time was up.
	errTimedOut = errors.New("the benchmark's running time is up")
	// errSuspended ends a run between two trials, on request.
	errSuspended = errors.New("suspended on request")
)

// stopCause is why a context ended, if it was one of ours: ErrInterrupted or errTimedOut; else nil.
func stopCause(ctx context.Context) error {
	cause := context.Cause(ctx)
	if errors.Is(cause, ErrInterrupted) || errors.Is(cause, errTimedOut) {
		return cause
	}
	return nil
}

// failureOf says what an error means to the user. Each step of the engine has a reason; some causes have a better one
// than the step in which they occurred.
func failureOf(err error) *result.Failure {
	f := &result.Failure{Reason: v1alpha1.ReasonRunnerFailed, Message: human.Sentence(err.Error())}
	if failed := worstStep(err); failed != nil {
		f.Reason, f.Tail = failed.Reason, failed.Tail
	}
	var refusal *blockdev.Refusal
	var suspended *zfs.SuspendedError
	var gone *target.GoneError
	switch {
	case f.Reason == v1alpha1.ReasonCleanupFailed:
	case errors.Is(err, ErrInterrupted):
		f.Reason = v1alpha1.ReasonInterrupted
	case errors.Is(err, errTimedOut):
		f.Reason = v1alpha1.ReasonTimedOut
	case errors.As(err, &suspended), errors.Is(err, sandbox.ErrStuck):
		f.Reason = v1alpha1.ReasonPoolSuspended
	case errors.As(err, &gone):
		f.Reason = gone.Reason
	case errors.As(err, &refusal):
		f.Reason = v1alpha1.ReasonDeviceRefused
	}
	return f
}

// worstStep is a failed step that leaves something on the node, which matters most; else the first step that failed.
func worstStep(err error) *failure.Error {
	var first *failure.Error
	if !errors.As(err, &first) || first.Reason == v1alpha1.ReasonCleanupFailed {
		return first
	}
	inner := []error{errors.Unwrap(err)}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		inner = joined.Unwrap()
	}
	for _, each := range inner {
		if failed := worstStep(each); failed != nil && failed.Reason == v1alpha1.ReasonCleanupFailed {
			return failed
		}
	}
	return first
}
