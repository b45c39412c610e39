// SPDX-License-Identifier: Apache-2.0

package failure

import (
	"errors"
	"fmt"

	"zfsbench.io/operator/internal/node/hostexec"
)

// Error is the failure of a step of the runner.
type Error struct {
	// Reason is one of the API's condition reasons.
	Reason string
	// doing says what was being done, for example "create the pool".
	doing string
	err   error
	// Tail is the end of the failing tool's output, if there is one.
	Tail string
}

func (e *Error) Error() string { return fmt.Sprintf("could not %s: %v", e.doing, e.err) }

func (e *Error) Unwrap() error { return e.err }

// Wrap wraps an error; nil stays nil.
func Wrap(reason, doing string, err error) error {
	if err == nil {
		return nil
	}
	return &Error{Reason: reason, doing: doing, err: err, Tail: stderrOf(err)}
}

// Reason is the reason of an error, or otherwise if it has none.
func Reason(err error, otherwise string) string {
	var failed *Error
	if errors.As(err, &failed) {
		return failed.Reason
	}
	return otherwise
}

// stderrOf is the end of the output of the tool or command that failed.
func stderrOf(err error) string {
	var exit *hostexec.ExitError
	var tool interface{ Tail() string }
	switch {
	case errors.As(err, &exit):
		return exit.Stderr
	case errors.As(err, &tool):
		return tool.Tail()
	}
	return ""
}
