// SPDX-License-Identifier: Apache-2.0

package hostexec

import (
	"fmt"
	"strings"
)

// stderrTailBytes limits how much of stderr an ExitError keeps.
const stderrTailBytes = 2 << 10

// ExitError says that a command did not end with exit code 0.
type ExitError struct {
	Args []string
	// Code is the exit code, or -1 when a signal ended the command.
	Code int
	// Signal is the name of the signal that ended the command, or empty.
	Signal string
	// Stderr is the end of the command's stderr, at most 2 KiB, without surrounding white space.
	Stderr string
	// Err is the context's error if the command was ended because of the context, else nil.
	Err error
}

func (e *ExitError) Error() string {
	how := fmt.Sprintf("exit code %d", e.Code)
	if e.Signal != "" {
		how = "ended by signal: " + e.Signal
	}
	if e.Err != nil {
		how += ": " + e.Err.Error()
	}
	if e.Stderr != "" {
		how += ": " + strings.Join(strings.FieldsFunc(e.Stderr, func(r rune) bool { return r == '\n' }), "; ")
	}
	return strings.Join(e.Args, " ") + ": " + how
}

// Unwrap returns the context's error, if that is why the command ended.
func (e *ExitError) Unwrap() error { return e.Err }

// NotFoundError says that a program does not exist or cannot be started.
type NotFoundError struct {
	Args []string
	Err  error
}

func (e *NotFoundError) Error() string {
	return fmt.Sprintf("%s cannot be started: %v", e.Args[0], e.Err)
}

// Unwrap returns the cause.
func (e *NotFoundError) Unwrap() error { return e.Err }

// OutputLimitError says that a command printed more than OutputLimitBytes. It ran to its end, but its output is
// incomplete and must not be used.
type OutputLimitError struct{ Args []string }

func (e *OutputLimitError) Error() string {
	return fmt.Sprintf("%s: printed more than %d bytes", strings.Join(e.Args, " "), OutputLimitBytes)
}

// UnkillableError says that a command survived SIGKILL, like a process that waits in the kernel for a suspended pool or
// a dead disk. It still exists: the node needs a reboot, or the disk has to come back.
type UnkillableError struct {
	Args []string
	PID  int
	// Err is the context's error.
	Err error
}

func (e *UnkillableError) Error() string {
	return fmt.Sprintf("%s: process %d cannot be killed, it waits in the kernel: %v", strings.Join(e.Args, " "), e.PID,
		e.Err)
}

// Unwrap returns the context's error.
func (e *UnkillableError) Unwrap() error { return e.Err }

// tail returns the end of a command's stderr, cut at the start of a line.
func tail(stderr []byte) string {
	s := strings.TrimSpace(string(stderr))
	if len(s) <= stderrTailBytes {
		return s
	}
	s = s[len(s)-stderrTailBytes:]
	if _, rest, found := strings.Cut(s, "\n"); found {
		s = rest
	}
	return strings.ToValidUTF8(s, "?")
}
