// SPDX-License-Identifier: Apache-2.0

package hostexec

import (
	"context"
	"io"
	"time"
)

const (
	// OutputLimitBytes bounds each of stdout and stderr of a command; more is an *OutputLimitError.
	OutputLimitBytes = 4 << 20
	// DefaultGrace is the time between SIGTERM and SIGKILL after the context has ended.
	DefaultGrace = 10 * time.Second
)

// Runner runs one command to its end.
type Runner interface {
	// Run returns the command's output even if it fails. The error is nil, *NotFoundError, *ExitError,
	// *OutputLimitError or *UnkillableError; errors.Is finds the context's error if the context ended the command.
	Run(ctx context.Context, cmd Cmd) (Result, error)
}

// Cmd is a command to run.
type Cmd struct {
	// Args is the argument vector; Args[0] is a program's name, looked up in a fixed path, or an absolute path.
	Args []string
	// Stdin is the command's input; nil is empty.
	Stdin io.Reader
	// Stdout receives the command's output while it runs, unbounded; nil collects it in Result.Stdout.
	Stdout io.Writer
	// Env is added to the fixed environment, as NAME=VALUE.
	Env []string
	// Grace is the time between SIGTERM and SIGKILL after the context has ended. Default: DefaultGrace.
	Grace time.Duration
}

// Result is what a command printed and used.
type Result struct {
	Stdout, Stderr []byte
	// CPUTime is user and system time of the command and of the children it waited for.
	CPUTime time.Duration
}
