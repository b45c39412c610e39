// SPDX-License-Identifier: Apache-2.0

package hostexec

import (
	"context"
	"errors"
	"os/exec"
	"syscall"
	"time"
)

// process is one run of one command.
type process struct {
	cmd            *exec.Cmd
	args           []string
	grace          time.Duration
	stdout, stderr boundedBuffer
}

// run starts the process and waits for its end, or until it turns out to be unkillable.
func (p *process) run(ctx context.Context) (Result, error) {
	killer := make(chan *time.Timer, 1)
	p.cmd.Cancel = func() error {
		// The group's ID stays in use while any member lives. So the later SIGKILL can hit a different process only if
		// the PIDs wrapped around within the grace period.
		group := -p.cmd.Process.Pid
		killer <- time.AfterFunc(p.grace, func() { _ = syscall.Kill(group, syscall.SIGKILL) })
		return syscall.Kill(group, syscall.SIGTERM)
	}
	// After this, exec closes the pipes even if a process that left the group still holds them.
	p.cmd.WaitDelay = p.grace + reapMargin
	if err := p.cmd.Start(); err != nil {
		if ctx.Err() != nil {
			return Result{}, &ExitError{Args: p.args, Code: -1, Err: ctx.Err()}
		}
		return Result{}, &NotFoundError{Args: p.args, Err: err}
	}
	waited := make(chan error, 1)
	go func() { waited <- p.cmd.Wait() }()
	killable, err := p.await(ctx, waited)
	select {
	case timer := <-killer:
		timer.Stop()
	default:
	}
	result := Result{Stdout: p.stdout.bytes(), Stderr: p.stderr.bytes()}
	if !killable {
		return result, &UnkillableError{Args: p.args, PID: p.cmd.Process.Pid, Err: ctx.Err()}
	}
	result.CPUTime = p.cmd.ProcessState.UserTime() + p.cmd.ProcessState.SystemTime()
	return result, p.failure(ctx, err)
}

// await returns Wait's error, or says that the process has outlived SIGKILL. Then the goroutine in Wait stays until the
// kernel releases the process.
func (p *process) await(ctx context.Context, waited <-chan error) (killable bool, err error) {
	select {
	case err := <-waited:
		return true, err
	case <-ctx.Done():
	}
	timer := time.NewTimer(p.grace + 2*reapMargin)
	defer timer.Stop()
	select {
	case err := <-waited:
		return true, err
	case <-timer.C:
		return false, nil
	}
}

// failure translates Wait's error into an error of this package.
func (p *process) failure(ctx context.Context, err error) error {
	state := p.cmd.ProcessState
	if err == nil {
		if p.stdout.overflowed() || p.stderr.overflowed() {
			return &OutputLimitError{Args: p.args}
		}
		return nil
	}
	failed := &ExitError{Args: p.args, Code: state.ExitCode(), Stderr: tail(p.stderr.bytes()), Err: ctx.Err()}
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		failed.Signal = status.Signal().String()
	}
	var exit *exec.ExitError
	if failed.Err == nil && !errors.As(err, &exit) {
		// The command succeeded, but its input or output could not be copied.
		failed.Err = err
	}
	return failed
}
