// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"errors"
	"fmt"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/node/hostexec"
	"zfsbench.io/operator/internal/node/sandbox"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/storage/blockdev"
	"zfsbench.io/operator/internal/storage/zfs"
	"zfsbench.io/operator/internal/text/human"
)

var (
	// ErrInterrupted is the cause of a context that ended because the process was told to stop.
	ErrInterrupted = errors.New("the runner was told to stop")
	// errTimedOut is the cause of a context that ended because the plan's running time was up.
	errTimedOut = errors.New("the benchmark's running time is up")
	// errSuspended ends a run between two trials, on request.
	errSuspended = errors.New("suspended on request")
)

// stepError is a step of the engine that did not succeed.
type stepError struct {
	// reason is one of the API's condition reasons.
	reason string
	// doing says what was being done, for example "create the pool".
	doing string
	err   error
	// tail is the end of the failing tool's output, if there is one.
	tail string
}

func (e *stepError) Error() string { return fmt.Sprintf("could not %s: %v", e.doing, e.err) }

func (e *stepError) Unwrap() error { return e.err }

// step wraps an error; nil stays nil.
func step(reason, doing string, err error) error {
	if err == nil {
		return nil
	}
	return &stepError{reason: reason, doing: doing, err: err, tail: stderrOf(err)}
}

// reasonOf is the reason of an error that has one, else another.
func reasonOf(err error, otherwise string) string {
	var failed *stepError
	if errors.As(err, &failed) {
		return failed.reason
	}
	return otherwise
}

// stderrOf is what a command that failed has said.
func stderrOf(err error) string {
	var exit *hostexec.ExitError
	var tool *toolError
	switch {
	case errors.As(err, &exit):
		return exit.Stderr
	case errors.As(err, &tool):
		return tool.tail
	}
	return ""
}

// stopCause is why a context ended, if it was one of ours: ErrInterrupted or errTimedOut; else nil.
func stopCause(ctx context.Context) error {
	cause := context.Cause(ctx)
	if errors.Is(cause, ErrInterrupted) || errors.Is(cause, errTimedOut) {
		return cause
	}
	return nil
}

// failureOf says what an error means to the user. The engine's own steps carry a reason; some causes say more than the
// step that met them.
func failureOf(err error) *result.Failure {
	f := &result.Failure{Reason: v1alpha1.ReasonRunnerFailed, Message: human.Sentence(err.Error())}
	if failed := worstStep(err); failed != nil {
		f.Reason, f.Tail = failed.reason, failed.tail
	}
	var refusal *blockdev.Refusal
	var suspended *zfs.SuspendedError
	var gone *goneError
	switch {
	case f.Reason == v1alpha1.ReasonCleanupFailed:
	case errors.Is(err, ErrInterrupted):
		f.Reason = v1alpha1.ReasonInterrupted
	case errors.Is(err, errTimedOut):
		f.Reason = v1alpha1.ReasonTimedOut
	case errors.As(err, &suspended), errors.Is(err, sandbox.ErrStuck):
		f.Reason = v1alpha1.ReasonPoolSuspended
	case errors.As(err, &gone):
		f.Reason = gone.reason
	case errors.As(err, &refusal):
		f.Reason = v1alpha1.ReasonDeviceRefused
	}
	return f
}

// worstStep is the first step that failed, or one that leaves something on the node: nothing matters more.
func worstStep(err error) *stepError {
	var first *stepError
	if !errors.As(err, &first) || first.reason == v1alpha1.ReasonCleanupFailed {
		return first
	}
	inner := []error{errors.Unwrap(err)}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		inner = joined.Unwrap()
	}
	for _, each := range inner {
		if failed := worstStep(each); failed != nil && failed.reason == v1alpha1.ReasonCleanupFailed {
			return failed
		}
	}
	return first
}
